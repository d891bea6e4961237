"""The steps of ``unjudged demo``: what to run on the demo collection, and what to see in it."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from unjudged.demo.collection import CORPUS_SIZE, Collection

__all__ = ["OWN_FILES", "Step", "steps", "story"]


@dataclass(frozen=True)
class Step:
    """One command of the walk, with the question it answers."""

    question: str
    arguments: tuple[str, ...]
    remark: str
    aloud: bool = True
    """Whether what the command prints is shown."""


_SOME = "'{runs}/*-fused.run' '{runs}/later-*' -m nDCG@10"
_STORY = (
    (
        'What are the scores, if "unjudged" means "wrong"?',
        "score {qrels} " + _SOME + " --holes nonrelevant",
        "So most tools rank them. But the later-* runs came after the judging: nobody ever looked at a third to a half"
        " of what they return first.",
    ),
    (
        "What could the scores be, and what is likely?",
        "score {qrels} " + _SOME + " --plot {directory}/scores.svg --quiet",
        "Whatever the holes hold, the first two could lose to later-* runs, and two of these are likely the best.",
    ),
    (
        "The demo knows the truth: what are the scores when everything is judged?",
        "score {truth} " + _SOME,
        "The estimate had the order right, and was off by 0.04 on average; the scores at the top by 0.10. Its intervals"
        " hold all five.",
    ),
    (
        "And everything about all 12 runs, on one page?",
        "report {qrels} {runs} --groups {teams} --topics {topics} --texts {docs} -o {directory}/report.html --title"
        " 'The demo collection' --quiet",
        "Open {directory}/report.html in a browser. Where charts are installed, the picture of step 2 is"
        " {directory}/scores.svg.",
    ),
)
"""Question, command and remark of each step of the short walk; the last one's command says little on the screen."""
OWN_FILES = (
    ("doctor QRELS RUN...", "are they sound?"),
    ("score QRELS RUN... -m nDCG@10", "the table of step 2"),
    ("report QRELS RUN... --open", "the page of step 4"),
)
"""What to try next, and what it says."""
_WALK = (
    (
        "Are the files sound?",
        "doctor {qrels} {runs}",
        "The three later-* runs were not pooled: much of what they return was never judged.",
    ),
    (
        "What are the scores, and how much of them rests on judged documents?",
        "score {qrels} {runs} -m nDCG@10 -m AP -m P@10",
        "Two of the later-* runs are likely the best, though they score third and fifth. Note the last column.",
    ),
    (
        "And if unjudged documents are dropped instead?",
        "score {qrels} {runs} -m nDCG@10 --holes nonrelevant --holes condensed",
        "Condensed lists move what was judged up. The later runs gain most, perhaps too much.",
    ),
    (
        "Between which bounds do the scores lie, and what is likely?",
        "score {qrels} {runs}/later-* -m nDCG@10 --holes bounds --holes discounted",
        "Bounds hold whatever the unjudged documents are; the interval holds nearly 90% of 1,000 draws of grades for"
        " them.",
    ),
    (
        "Can I see that, and put it into a paper?",
        "score {qrels} {runs} -m nDCG@10 --holes bounds --holes discounted --plot {directory}/scores.svg -f markdown"
        " -o {directory}/scores.md",
        "--plot draws a chart of every result (with the extra 'report'), -f latex and markdown make tables with"
        " captions, and --methods writes how it was made, with BibTeX.",
    ),
    (
        "What do the other runs say about the unjudged documents?",
        "score {qrels} {runs} -m nDCG@10 --holes evidence --groups {teams} --explain later-neural-large 105",
        "Documents that only one team contributed tell how relevant holes are. What the later runs found counts"
        " in the ideal ranking, so all other runs lose a little. On average over the 12 runs, this is off from the"
        " truth, below, by 0.018; the plain bootstrap by 0.047, and no model at all by 0.064.",
    ),
    (
        "Which run is better, and could judging the holes change that?",
        "compare {qrels} {runs} --baseline cedar-fused --groups {teams} --corpus-size {corpus_size}",
        "By its p-value later-neural-base is worse than cedar-fused, but that is undetermined: it is the better"
        " one in half of the worlds that the other runs' evidence allows. later-neural-large scores lower, too, and"
        " is better in 88% of them. Both are better when everything is judged. The last table says where the"
        " uncertainty of each mean comes from: here from the small corpus and the 25 topics, and for the later-* runs"
        " also from the holes.",
    ),
    (
        "May later-neural-base replace cedar-fused?",
        "gate {qrels} {runs}/cedar-fused.run {runs}/later-neural-base.run",
        "Its score is lower, but half of what it returns was never judged: nobody can say yet. The exit code is 3, and"
        " the last line lists what to judge. With unjudged documents as wrong, the release would have failed.",
    ),
    (
        "And from release to release: who keeps the scores?",
        "history add {qrels} {runs}/cedar-fused.run --history {directory}/history.jsonl --release v1 -m nDCG@10",
        "A line of a file that the team keeps beside its code: scores, what they could be, and hashes of the files.",
    ),
    (
        "The next release comes with more judgments. What changed the score?",
        "history add {truth} {runs}/later-neural-base.run --history {directory}/history.jsonl --release v2 -m nDCG@10",
        "Both runs are scored under both judgments. The score hardly moved; the ranker is better by 0.05, which only"
        " the new judgments can see. `unjudged history show` has all releases, also as a chart.",
    ),
    (
        "Which documents should be judged next, and can judging stop?",
        "next {qrels} {runs} --budget 5",
        "These say most about the 4 pairs of runs that are undecided. Add their judgments to the file and ask again:"
        " the exit code is 3 once nothing is open. --goal 'later-neural-large>cedar-fused' asks about two runs only.",
    ),
    (
        "How precisely do measures measure here?",
        "properties {qrels} {runs} -m AP -m P@10 --corpus-size {corpus_size} --images 200",
        "Other corpora from the same source move the difference of two runs on a topic by 0.14 in AP and 0.17 in P@10."
        " It is 1.5 times as large as that in AP, 1.2 times in P@10: AP tells two runs on a topic apart better. A mean"
        " over 25 topics still moves by 0.02 to 0.03, and runs in the middle change places.",
    ),
    (
        "Which run finds documents that the others do not?",
        "relative {qrels} {runs} --groups {teams}",
        "later-neural-large is third by nDCG@10, but adds most to the best runs of other teams, and more could"
        " hide in what nobody judged. acorn-keyword-again is nearly a copy: it adds least to acorn-keyword (row 6,"
        " column 7).",
    ),
    (
        "Which run covers the sides of the topics best?",
        "score {diversity} {runs}/later-* {runs}/cedar-fused.run -m alpha_nDCG@10 --holes nonrelevant --holes"
        " bootstrap",
        "With unjudged documents as relevant to nothing, cedar-fused leads. With draws of what judged documents"
        " are relevant to, later-neural-large does.",
    ),
    (
        "Few documents are judged for subtopics, but there is text. Who covers the subtopics?",
        "score {diversity} {runs} -m 'ABSNB(mu=50)' -m 'DELTANB(mu=50)' --texts {docs}",
        "Rankings are compared by what their documents say, so the later runs lose less by not being judged.",
    ),
    (
        "The demo knows the truth. What are the scores when everything is judged?",
        "score {truth} {runs} -m nDCG@10 -m AP -m P@10",
        "Two later runs are the best. The estimates were close; counting unjudged documents as wrong was not.",
    ),
    (
        "Could one have known? Leave each team out in turn, and see where its runs end up.",
        "reuse {truth} {runs} --groups {teams}",
        "Counting unjudged documents as wrong costs a run of the later team 6 ranks; asking the other runs costs it"
        " one, and is wrong by the fewest ranks of all. With your own judgments, leave out the teams you have.",
    ),
    (
        "In what order should a collection like this be judged?",
        "reuse {truth} {runs} --strategy depth --strategy evidence --budget 5% --budget 20%",
        "With 5% of the judgments, evidence finds 57% of the relevant documents, depth 43%; both have the runs nearly"
        " in their true order.",
    ),
    (
        "And all of it on one page?",
        "report {qrels} {runs} --groups {teams} --topics {topics} --texts {docs} -o {directory}/report.html --title"
        " 'The demo collection' --quiet",
        "Open it in a browser: sort and filter tables, change the measure, and choose a topic to see what each"
        " run returned for it. Its last section does not vouch for the later runs: nobody knows their scores.",
    ),
    ("What exactly is nDCG?", "measures nDCG", "Every measure explains itself; `unjudged measures` lists them."),
)
"""Question, command and remark of each step; names in braces are files of the collection."""


def story(collection: Collection) -> Iterator[Step]:
    """What unjudged documents do to scores, in four steps; the page comes last, and only its remark is shown."""
    for step in _steps(collection, _STORY):
        yield step if step.arguments[0] != "report" else replace(step, aloud=False)


def steps(collection: Collection) -> Iterator[Step]:
    """The walk through the commands, in order. It grows with the tool."""
    return _steps(collection, _WALK)


def _steps(collection: Collection, walk: Iterable[tuple[str, str, str]]) -> Iterator[Step]:
    places = {**vars(collection), "runs": collection.runs[0].parent, "corpus_size": CORPUS_SIZE}
    for question, command, remark in walk:
        # Words first: a path may have spaces, and stays one argument.
        arguments = tuple(word.format(**places) for word in shlex.split(command))
        yield Step(question, arguments, remark.format(**places))
