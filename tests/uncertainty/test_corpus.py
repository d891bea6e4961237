"""The corpus bootstrap as a whole: what an image is, that chance is fair, and that nothing else changes the numbers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from measure_views import QrelsDict, RunDict, make_qrels, make_run, random_collection
from scipy.stats import chisquare

import unjudged as uj
from unjudged.cli import main
from unjudged.data.qrels import Qrels
from unjudged.data.run import Run
from unjudged.errors import InputError, SpecError, UnjudgedWarning
from unjudged.measures import measures
from unjudged.results.corpus_image_scores import ImageScores
from unjudged.uncertainty import Corpus, CorpusBootstrap, bootstrap_corpus, image_blocks
from unjudged.uncertainty.corpus import BLOCK_IMAGES

SIZE = 400
MEASURES = ["AP", "nDCG@10", "P@5", "RBP(p=0.9)", "RR", "INSQ(T=3.0)", "Bpref", "ERR@10", "Q", "Accuracy", "GMAP"]


def collection(runs: int = 3) -> tuple[list[RunDict], QrelsDict]:
    qrels = random_collection(0)[1]
    return [random_collection(seed)[0] for seed in range(runs)], qrels


def named(runs: list[RunDict]) -> list[Run]:
    return [make_run(run).renamed(f"run{i}") for i, run in enumerate(runs)]


def bootstrap(images: int = 70, *, jobs: int = 1, seed: int = 42, order: tuple[int, ...] = (0, 1, 2)) -> ImageScores:
    runs, qrels = collection()
    given = [named(runs)[i] for i in order]
    how = CorpusBootstrap(images=images, corpus_size=SIZE)
    return bootstrap_corpus(
        given, make_qrels(qrels), list(map(measures.parse, MEASURES)), how, seed=seed, keep=True, jobs=jobs
    )


# ---- an image as a real collection


def write_image(folder: Path, corpus: Corpus, image: int, runs: list[Run], qrels: Qrels) -> None:
    """Files as a track would hand them out: every copy is a document of its own, at its place in the rankings."""
    copies = corpus.draw(42, image - image % BLOCK_IMAGES).copies[:, image % BLOCK_IMAGES]
    count = dict(zip(corpus.documents, copies.tolist(), strict=True))
    with (folder / "qrels.txt").open("w", encoding="utf-8") as file:
        for topic in qrels.topics:
            rows = range(*qrels.offsets[qrels.topic_rows[topic] :][:2].tolist())
            for row in rows:
                doc = qrels.docs[row]
                grade = int(qrels.grades[row]) if qrels.states[row] == 2 else -1
                file.writelines(f"{topic} 0 {doc}-{i} {grade}\n" for i in range(count[doc]))
    for run in runs:
        with (folder / f"{run.name}.run").open("w", encoding="utf-8") as file:
            for topic in run.topics:
                names = [f"{doc}-{i}" for doc, _ in run.ranking(topic) for i in range(count.get(doc, 0))]
                file.writelines(f"{topic} Q0 {name} 0 {-rank} {run.name}\n" for rank, name in enumerate(names))


@pytest.mark.parametrize("image", [0, 3, 69])
def test_the_command_scores_an_image_written_out_as_files_the_same(
    image: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dicts, qrels_dict = collection()
    runs, qrels = named(dicts), make_qrels(qrels_dict)
    result = bootstrap()
    write_image(tmp_path, Corpus.of(runs, qrels, SIZE), image, runs, qrels)
    plain = [text for text in MEASURES if text != "Accuracy"]  # undefined there where it is 0 here
    asked = [word for text in plain for word in ("-m", text)]
    with pytest.raises(SystemExit, match="0"):
        main(["score", str(tmp_path / "qrels.txt"), f"{tmp_path}/*.run", *asked, "-q", "-f", "json", "--quiet"])
    rows = json.loads(capsys.readouterr().out)["rows"]
    theirs = {(row["measure"], row["run"], row["topic"]): row["value"] for row in rows}
    for text in plain:
        for r, run in enumerate(result.runs):
            for t, topic in enumerate(result.topics):
                ours = result.every_score()[MEASURES.index(text), r, t, image]
                # A topic that lost all its judgments is not in the file; it counts 0.
                assert theirs.get((text, run, topic), 0.0) == pytest.approx(ours, abs=1e-12), (text, run, topic)


# ---- chance


def one_topic(relevant: int, size: int, images: int) -> ImageScores:
    qrels = make_qrels({"1": {f"d{i}": 1 for i in range(relevant)} | {"n": 0}})
    run = make_run({"1": {"n": 9.0} | {f"d{i}": 8.0 - i for i in range(relevant)}})
    chosen = [measures.parse(text) for text in ("R", "RBP(p=0.8)")]
    return bootstrap_corpus([run], qrels, chosen, CorpusBootstrap(images=images, corpus_size=size), keep=True)


@pytest.mark.parametrize(("relevant", "size"), [(1, 1000), (2, 10), (3, 100_000_000)])
def test_share_of_images_without_relevant_documents(relevant: int, size: int) -> None:
    images = 4000
    result = one_topic(relevant, size, images)
    assert result.scores is not None
    probability = (1 - relevant / size) ** size
    share = float((result.scores[0] == 0).mean())
    assert abs(share - probability) < 4 * np.sqrt(probability * (1 - probability) / images)


def test_mean_of_rbp_is_its_closed_form() -> None:
    size, p, images = 50, 0.8, 20_000
    result = one_topic(3, size, images)
    closed = sum((1 - (j - 1) * (1 - p) / size) ** size - (1 - j * (1 - p) / size) ** size for j in (2, 3, 4))
    assert abs(result.mean[1, 0, 0] - closed) < 4 * result.sd[1, 0, 0] / np.sqrt(images)


def test_copies_of_a_document_are_binomial() -> None:
    runs, qrels = collection()
    corpus = Corpus.of(named(runs), make_qrels(qrels), SIZE)
    copies = np.concatenate([corpus.draw(1, first).copies for first in range(0, 64 * 200, 64)], axis=1)
    counts = np.bincount(np.minimum(copies, 4).ravel(), minlength=5)
    probabilities = [1.0]
    for k in range(4):
        probabilities.append(probabilities[-1] * (SIZE - k) / (k + 1) / (SIZE - 1))
    shares = np.array(probabilities[:4]) * (1 - 1 / SIZE) ** SIZE
    expected = np.append(shares, 1 - shares.sum()) * copies.size
    # Documents of one image are hardly dependent (-1/400), so that the chi-square of all of them together is fair.
    assert chisquare(counts, expected).pvalue > 0.001
    # And every document, and every image, has its share.
    assert chisquare(copies.sum(axis=1, dtype=np.int64)).pvalue > 0.001
    seen = len(corpus.documents)
    assert abs(copies.sum(axis=0, dtype=np.int64).var() / (seen * (1 - seen / SIZE)) - 1) < 0.1


def test_whole_corpus_seen_gives_images_of_its_size() -> None:
    runs, qrels = collection()
    seen = len(Corpus.of(named(runs), make_qrels(qrels), SIZE).documents)
    corpus = Corpus.of(named(runs), make_qrels(qrels), seen)
    assert (corpus.draw(7, 0).copies.sum(axis=0, dtype=np.int64) == seen).all()


# ---- nothing else changes the numbers


@pytest.mark.parametrize("jobs", [2, 3])
def test_threads_change_nothing(jobs: int) -> None:
    one, several = bootstrap(200), bootstrap(200, jobs=jobs)
    for name in ("mean", "sd", "means", "scores"):
        np.testing.assert_array_equal(getattr(one, name), getattr(several, name))


def test_more_images_begin_with_the_same_ones() -> None:
    few, many = bootstrap(65), bootstrap(200)
    assert few.scores is not None
    assert many.scores is not None
    np.testing.assert_array_equal(few.scores, many.scores[..., :65])
    np.testing.assert_array_equal(few.means, many.means[..., :65])


def test_the_order_of_runs_changes_nothing() -> None:
    plain, turned = bootstrap(), bootstrap(order=(2, 0, 1))
    assert turned.runs == ("run2", "run0", "run1")
    np.testing.assert_array_equal(plain.mean[:, [2, 0, 1]], turned.mean)


def test_topics_worked_on_apart_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = bootstrap()
    monkeypatch.setattr("unjudged.uncertainty.corpus._BLOCK_ROWS", 1)
    np.testing.assert_array_equal(plain.scores, bootstrap().scores)  # type: ignore[arg-type]


@pytest.mark.parametrize("number", [1, 16, 200])
def test_as_many_images_at_once_as_one_likes_give_the_same(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = bootstrap(70)
    monkeypatch.setattr("unjudged.uncertainty.corpus.BLOCK_IMAGES", number)
    again = bootstrap(70, jobs=2)
    np.testing.assert_array_equal(plain.every_score(), again.every_score())
    np.testing.assert_allclose(plain.sd, again.sd, rtol=1e-9, atol=1e-14)


def test_both_cores_give_the_same() -> None:
    code = (
        "import sys; sys.path[:0] = sys.argv[1:]; from test_corpus import bootstrap; import numpy as np;"
        " sys.stdout.buffer.write(np.ascontiguousarray(bootstrap(70).scores).tobytes())"
    )
    here = Path(__file__).parent
    outputs = [
        subprocess.run(
            [sys.executable, "-c", code, str(here), str(here.parent / "measures")],
            env={**os.environ, "UNJUDGED_CORE": core},
            capture_output=True,
            check=True,
        ).stdout
        for core in ("reference", "")
    ]
    np.testing.assert_array_equal(*(np.frombuffer(output) for output in outputs))


def test_another_seed_gives_other_images() -> None:
    assert not np.array_equal(bootstrap(seed=1).means, bootstrap(seed=2).means)


# ---- results


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy remarks on what is undefined on all images
def test_statistics_are_those_of_the_scores() -> None:
    result = bootstrap(200)
    assert result.scores is not None
    assert result.scores.shape == (len(MEASURES), 3, len(result.topics), 200)
    np.testing.assert_allclose(result.mean, np.nanmean(result.scores, axis=-1), atol=1e-13)
    np.testing.assert_allclose(result.sd, np.nanstd(result.scores, axis=-1, ddof=1), atol=1e-12)
    for m, text in enumerate(MEASURES):
        measure = measures.parse(text)
        for r, i in [(0, 0), (1, 77), (2, 199)]:
            assert result.means[m, r, i] == pytest.approx(measure.summarise(result.scores[m, r, :, i]))
    np.testing.assert_allclose(result.sd_of_means(), result.means.std(axis=-1, ddof=1))
    summary = result.summary((0.25, 0.75))["run1", "AP"]
    assert summary.root == pytest.approx(result.root[0, 1].mean())
    assert summary.low < summary.mean < summary.high
    np.testing.assert_array_equal(result.of("run1", "AP"), result.means[0, 1])


def test_the_root_is_what_score_gives() -> None:
    runs, qrels = collection()
    with pytest.warns(UnjudgedWarning):
        plain = uj.score(make_qrels(qrels), named(runs), MEASURES)
    np.testing.assert_array_equal(bootstrap(1).root, plain.values[0])
    np.testing.assert_allclose(bootstrap(1).root_means, plain.means[0], rtol=1e-14)


def test_scores_are_not_kept_unless_asked_for() -> None:
    runs, qrels = collection()
    result = bootstrap_corpus(
        named(runs), make_qrels(qrels), [measures.parse("AP")], CorpusBootstrap(images=70, corpus_size=SIZE)
    )
    assert result.scores is None
    np.testing.assert_array_equal(result.means[0], bootstrap(70).means[0])


def test_blocks_can_be_streamed() -> None:
    runs, qrels = collection()
    corpus = Corpus.of(named(runs), make_qrels(qrels), SIZE)
    blocks = list(image_blocks(corpus, [measures.parse("AP")], 150))
    assert [block.shape[-1] for block in blocks] == [64, 64, 22]
    np.testing.assert_array_equal(np.concatenate(blocks, axis=-1)[0], bootstrap(150).scores[0])  # type: ignore[index]


def test_one_image_has_no_deviation() -> None:
    result = bootstrap(1)
    assert np.isnan(result.sd).all()
    assert np.isnan(result.sd_of_means()).all()


# ---- the friendly layer


def test_resample_takes_what_score_takes() -> None:
    runs, qrels = collection()
    how = uj.CorpusBootstrap(images=70, corpus_size=SIZE)
    result = uj.resample(qrels, {f"run{i}": run for i, run in enumerate(runs)}, MEASURES, how, keep=True)
    np.testing.assert_array_equal(result.scores, bootstrap(70).scores)  # type: ignore[arg-type]


def test_an_unknown_corpus_size_is_a_warning() -> None:
    runs, qrels = collection()
    with pytest.warns(UnjudgedWarning, match="the size of the corpus was not given; 60 is taken"):
        result = uj.resample(qrels, {"a": runs[0], "b": runs[1]}, "AP", uj.CorpusBootstrap(images=2))
    assert result.corpus_size == 60
    assert [notice.code for notice in result.warnings] == ["guessed-corpus-size"]


def test_errors_say_what_is_wrong() -> None:
    runs, qrels = collection()
    with pytest.raises(InputError, match="a corpus of 30 documents cannot hold the 60 distinct documents"):
        uj.resample(qrels, {"a": runs[0]}, "AP", uj.CorpusBootstrap(corpus_size=30))
    with pytest.raises(InputError, match="no run was given"):
        bootstrap_corpus([], make_qrels(qrels), [measures.parse("AP")], CorpusBootstrap())
    with pytest.raises(InputError, match="no measure was given"):
        uj.resample(qrels, {"a": runs[0]}, [], uj.CorpusBootstrap())
    with pytest.raises(SpecError, match="corpus: images must be a whole number of at least 1, not 0"):
        uj.CorpusBootstrap(images=0)
    with pytest.raises(InputError, match="there are no images of run 'x'"):
        bootstrap(1).of("x", "AP")


def test_judgments_without_relevant_documents_and_runs_without_topics() -> None:
    qrels, run = {"1": {"a": 0}, "2": {"b": 1}}, {"1": {"a": 1.0, "c": 0.5}}
    result = uj.resample(qrels, {"r": run}, MEASURES, uj.CorpusBootstrap(images=5, corpus_size=10), keep=True)
    assert result.scores is not None
    assert (result.scores[: MEASURES.index("Accuracy")] == 0).all()
