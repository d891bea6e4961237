"""Every way we know in which an input can be broken, with the exact words a user gets.

One table: what it is, who reads it, how the file is made, and the message. ``{path}`` stands for the file.
"""

from __future__ import annotations

import bz2
import gzip
import lzma

import pyarrow
import pyarrow.parquet
import zstandard
from making_broken_files import (
    QRELS,
    RUN,
    Broken,
    below_a_file,
    bomb_of_one_line,
    dangling_link,
    flip,
    folder_itself,
    greedy_xz,
    greedy_zstd,
    link_to_itself,
    long_name,
    not_there,
    parquet,
    parquet_folder,
    qrels,
    run,
    truncated_parquet,
    unix_socket,
)

MANY = b"".join(b"301 0 document%06d %d\n" % (i, i % 3) for i in range(20_000))
LIMIT = 1 << 20

ANSI_RED = "\x1b[31m"

DAMAGED = "{path}: the compressed data is damaged; copy the file again"
CUT_SHORT = "{path}: the compressed file is cut short; copy it again"
TRAILING = "{path}: other data follows the compressed data; copy the file again"
TOO_LONG = "the line is longer than 1,048,576 bytes"
NOT_PARQUET = "{path}: this is not a Parquet file, or it is damaged"

BROKEN = [
    # ---- what is not a file
    Broken("missing file", "qrels", not_there, "{path}: no such file"),
    Broken("missing file", "run", not_there, "{path}: no such file"),
    Broken("missing Parquet file", "run", lambda folder: folder / "none.parquet", "{path}: no such file"),
    Broken(
        "an address",
        "qrels",
        lambda _: "https://example.org/qrels.txt",
        "{path}: no such file; addresses are not downloaded, save the file first",
    ),
    Broken("directory", "qrels", folder_itself, "{path}: this is a directory; a file is needed here"),
    Broken("directory", "run", folder_itself, "{path}: this is a directory; a file is needed here"),
    Broken("path below a file", "qrels", below_a_file, "{path}: cannot be read: Not a directory"),
    Broken("link to nowhere", "qrels", dangling_link, "{path}: no such file"),
    Broken("link to itself", "run", link_to_itself, "{path}: cannot be read: Too many levels of symbolic links"),
    Broken("very long name", "run", long_name, "{path}: cannot be read: File name too long"),
    Broken("socket", "run", unix_socket, "{path}: cannot be read: No such device or address"),
    Broken("unreadable device", "qrels", lambda _: "/proc/self/mem", "{path}: cannot be read: Input/output error"),
    Broken("empty name", "qrels", lambda _: "", "this is not a file name: ''"),
    Broken("NUL in the name", "run", lambda _: "a\0b", r"this is not a file name: 'a\x00b'"),
    Broken(
        "unknown dataset",
        "qrels",
        lambda _: "ir_datasets:no/such",
        "{path}: ir_datasets has no such dataset (`ir_datasets list` lists them all)",
    ),
    # ---- nothing in it
    qrels("empty file", b"", "{path}: the file is empty"),
    run("empty file", b"", "{path}: the file is empty"),
    qrels("empty file inside gzip", gzip.compress(b""), "{path}: the file is empty"),
    qrels("only blank lines", b"\n \n\t\r\n", "{path}: there is no data, only comments or blank lines"),
    run("only a comment, without line feed", b"# a run", "{path}: there is no data, only comments or blank lines"),
    # ---- not text
    qrels("binary", bytes(range(256)) * 4, "{path}:1: this is binary data, not text (a NUL byte)"),
    run("NUL byte in line 3", RUN[:-5] + b"\0\n", "{path}:3: this is binary data, not text (a NUL byte)"),
    qrels(
        "Latin-1",
        "301 0 d1 1\n301 0 café 1\n".encode("latin-1"),
        "{path}:2: byte 0xe9 is not UTF-8; convert the file with: iconv -f LATIN1 -t UTF-8",
    ),
    run(
        "half a character",
        b"301 Q0 d\xe2\x82 1 0.9 mine\n",
        "{path}:1: byte 0xe2 is not UTF-8; convert the file with: iconv -f LATIN1 -t UTF-8",
    ),
    qrels(
        "UTF-16",
        QRELS.decode().encode("utf-16"),
        "{path}:1: the text is UTF-16; convert the file with: iconv -f UTF-16 -t UTF-8",
    ),
    qrels(
        "UTF-16 without mark",
        QRELS.decode().encode("utf-16-le"),
        "{path}:1: this is binary data, not text (a NUL byte)",
    ),
    qrels(
        "old Mac line ends",
        QRELS.replace(b"\n", b"\r"),
        r"{path}:1: lines end in CR alone (old Mac); convert the file with: tr '\r' '\n'",
    ),
    run(
        "old Mac line ends, large file",
        RUN.replace(b"\n", b"\r") * 40_000,
        r"{path}:1: lines end in CR alone (old Mac); convert the file with: tr '\r' '\n'",
    ),
    qrels("huge line", b"301 0 " + b"d" * LIMIT + b" 1\n", "{path}:1: " + TOO_LONG),
    qrels("huge line without end", QRELS + b"x" * 3 * LIMIT, "{path}:4: " + TOO_LONG),
    run("huge line of spaces", RUN + b" " * 2 * LIMIT + RUN, "{path}:4: " + TOO_LONG),
    run("gzip bomb of one line", bomb_of_one_line, "{path}:1: " + TOO_LONG, "bomb.gz"),
    # ---- compressed
    qrels("truncated gzip", gzip.compress(MANY)[:-3000], CUT_SHORT, "q.gz"),
    qrels("gzip without its last byte", gzip.compress(QRELS)[:-1], CUT_SHORT, "q.gz"),
    qrels("truncated bzip2", bz2.compress(MANY)[:-3000], CUT_SHORT, "q.bz2"),
    qrels("truncated xz", lzma.compress(MANY)[:-3000], CUT_SHORT, "q.xz"),
    qrels("truncated zstd", zstandard.compress(MANY)[:-3000], CUT_SHORT, "q.zst"),
    qrels("gzip header only", b"\x1f\x8b\x08", CUT_SHORT, "q.gz"),
    qrels("damaged gzip", flip(gzip.compress(MANY), 5000), DAMAGED, "q.gz"),
    qrels("gzip with a wrong checksum", flip(gzip.compress(QRELS), -6), DAMAGED, "q.gz"),
    qrels("damaged bzip2", flip(bz2.compress(MANY), 5000), DAMAGED, "q.bz2"),
    qrels("damaged xz", flip(lzma.compress(MANY), 5000), DAMAGED, "q.xz"),
    qrels("damaged zstd", flip(zstandard.compress(MANY), 40), DAMAGED, "q.zst"),
    qrels("text after gzip", gzip.compress(QRELS) + b"301 0 d9 1\n", TRAILING, "q.gz"),
    qrels("text after bzip2", bz2.compress(QRELS) + b"301 0 d9 1\n", TRAILING, "q.bz2"),
    qrels("text after zstd", zstandard.compress(QRELS) + b"x", TRAILING, "q.zst"),
    qrels("second gzip member cut short", gzip.compress(QRELS) + gzip.compress(MANY)[:-9], CUT_SHORT, "q.gz"),
    qrels("text named .gz", QRELS, "{path}: the name ends in .gz, but the content is not gzip", "q.gz"),
    qrels("text named .zst", QRELS, "{path}: the name ends in .zst, but the content is not zstd", "q.zst"),
    run("zip", b"PK\x03\x04rest", "{path}: this is a zip file; unpack it first"),
    qrels(
        "xz that asks for 512 MB",
        greedy_xz(),
        "{path}: the compressed data asks for more than 128 MB of memory; compress it anew",
        "q.xz",
    ),
    qrels(
        "zstd that asks for 1 GB",
        greedy_zstd(),
        "{path}: the compressed data asks for more than 128 MB of memory; compress it anew",
        "q.zst",
    ),
    # ---- columns
    qrels(
        "3 columns",
        b"301 0 d1\n",
        "{path}:1: expected 4 (or 5, with strata) columns, got 3"
        " (lines of judgments are 'topic 0 doc grade'; CSV and JSON lines name their columns): '301 0 d1'",
    ),
    qrels(
        "3 columns in line 3",
        QRELS[:22] + b"302 0 d3\n",
        "{path}:3: expected 4 columns, got 3 (lines of judgments are 'topic 0 doc grade'): '302 0 d3'",
    ),
    qrels(
        "truncated in a line",
        QRELS[:-4],
        "{path}:3: expected 4 columns, got 3 (lines of judgments are 'topic 0 doc grade'): '302 0 d'",
    ),
    qrels(
        "an empty field",
        b"301\t\td1\t1\n",
        "{path}:1: expected 4 (or 5, with strata) columns, got 3"
        r" (lines of judgments are 'topic 0 doc grade'; CSV and JSON lines name their columns): '301\t\td1\t1'",
    ),
    qrels(
        "4 columns, then 5",
        QRELS + b"302 0 d4 1 1\n",
        "{path}:4: expected 4 columns, got 5 (lines of judgments are 'topic 0 doc grade'): '302 0 d4 1 1'",
    ),
    qrels(
        "5 columns, then 4",
        b"301 0 d1 1 1\n301 0 d2 1\n",
        "{path}:2: expected 5 columns, got 4 (lines above are 'topic 0 doc stratum grade'): '301 0 d2 1'",
    ),
    qrels(
        "a run as qrels",
        RUN,
        "{path}:1: expected 4 (or 5, with strata) columns, got 6 (is this a run? judgments come first, then runs):"
        " '301 Q0 d1 1 0.9 mine'",
    ),
    run(
        "qrels as a run",
        b"# judgments\n" + QRELS,
        "{path}:2: expected 6 columns, got 4 (is this a qrels file? judgments come first, then runs): '301 0 d1 1'",
    ),
    run(
        "no tag",
        b"301 Q0 d1 1 0.9\n",
        "{path}:1: expected 6 columns, got 5 (is this a qrels file? judgments come first, then runs):"
        " '301 Q0 d1 1 0.9'",
    ),
    run(
        "missing line feed between lines",
        RUN[:-1] + RUN,
        "{path}:3: expected 6 columns, got 11"
        " (lines of runs are 'topic Q0 doc rank score name'): '302 Q0 d3 1 0.7 mine301 Q0 d1 1 0.9 mine'",
    ),
    run(
        "title with spaces",
        b"301 Q0 a b 1 0.9 t\n",
        "{path}:1: expected 6 columns, got 7"
        " (lines of runs are 'topic Q0 doc rank score name'; CSV and JSON lines name their columns):"
        " '301 Q0 a b 1 0.9 t'",
    ),
    run(
        "web page",
        b"<!DOCTYPE html>\n<html>\n",
        "{path}:1: expected 6 columns, got 2"
        " (lines of runs are 'topic Q0 doc rank score name'; CSV and JSON lines name their columns): '<!DOCTYPE html>'",
    ),
    qrels(
        "CSV without a header",
        b"301,0,d1,1\n",
        "{path}:1: the first line must name the columns, such as query_id,doc_id,relevance: '301,0,d1,1'",
    ),
    run(
        "terminal escapes in the line",
        f"301 Q0 {ANSI_RED}d1 1 0.9\n",
        "{path}:1: expected 6 columns, got 5 (is this a qrels file? judgments come first, then runs):"
        r" '301 Q0 \x1b[31md1 1 0.9'",
    ),
    run(
        "long line",
        b"301 Q0 " + b"d" * 200 + b" 1 0.9\n",
        "{path}:1: expected 6 columns, got 5 (is this a qrels file? judgments come first, then runs): '301 Q0 "
        + "d" * 50
        + "...'",
    ),
    # ---- values
    qrels("heading", b"query iter doc grade\n" + QRELS, "{path}:1: the grade is not a number: 'grade'"),
    qrels("grade that is not finite", QRELS + b"302 0 d4 nan\n", "{path}:4: the grade is not a finite number: nan"),
    qrels(
        "grade beyond 64 bits",
        b"301 0 d1 99999999999999999999\n",
        "{path}:1: the grade is not between -100,000 and 100,000: 1e+20",
    ),
    qrels("grade with underscore", b"301 0 d1 1_0\n", "{path}:1: the grade is not a number: '1_0'"),
    qrels(
        "grade with 5,000 digits",
        b"301 0 d1 " + b"9" * 5000 + b"\n",
        "{path}:1: the grade is not a finite number: inf",
    ),
    qrels(
        "grade beyond any scale",
        b"301 0 d1 1\n301 0 d2 2147483648\n",
        "{path}:2: the grade is not between -100,000 and 100,000: 2147483648",
    ),
    qrels(
        "grade far below 0",
        b"301 0 d1 -4294967295\n",
        "{path}:1: the grade is not between -100,000 and 100,000: -4294967295",
    ),
    qrels("stratum that is no number", b"301 0 d1 one 1\n", "{path}:1: the stratum is not a whole number: 'one'"),
    qrels(
        "stratum below 0", b"301 0 d1 1 1\n\n301 0 d2 -1 0\n", "{path}:3: the stratum is not between 0 and 100,000: -1"
    ),
    run("score that is no number", RUN + b"302 Q0 d4 2 high mine\n", "{path}:4: the score is not a number: 'high'"),
    run("score with decimal comma", b"301 Q0 d1 1 0,9 mine\n", "{path}:1: the score is not a number: '0,9'"),
    run("score in hexadecimal", b"301 Q0 d1 1 0x1p3 mine\n", "{path}:1: the score is not a number: '0x1p3'"),
    run("score NaN", b"# one\n" + RUN + b"302 Q0 d4 2 nan mine\n", "{path}:5: the score is not a finite number: nan"),
    run("score infinite", RUN + b"302 Q0 d4 2 -inf mine\n", "{path}:4: the score is not a finite number: -inf"),
    run("score too large", RUN + b"302 Q0 d4 2 1e999 mine\n", "{path}:4: the score is not a finite number: inf"),
    run(
        "the first problem wins",
        RUN + b"302 Q0 d4 2 bad mine\n302 Q0 d5\n",
        "{path}:4: the score is not a number: 'bad'",
    ),
    # ---- rows
    qrels(
        "judged twice",
        QRELS + b"\n301 0 d1 1\n",
        "{path}:5: document 'd1' is judged twice for topic '301' (first in line 1);"
        " 1 duplicate in all, `unjudged doctor` lists them",
    ),
    qrels(
        "judged twice with different grades",
        QRELS + b"301 0 d1 0\n301 0 d2 0\n",
        "{path}:4: document 'd1' is judged twice, with different grades, for topic '301' (first in line 1);"
        " 2 duplicates in all, `unjudged doctor` lists them",
    ),
    qrels(
        "judged twice for one subtopic",
        b"301 1 d1 1\n301 2 d1 1\n301 2 d1 1\n",
        "{path}:3: document 'd1' is judged twice for topic '301', subtopic '2' (first in line 2);"
        " 1 duplicate in all, `unjudged doctor` lists them",
    ),
    run(
        "ranked twice",
        b"# a comment\n" + RUN + b"301 Q0 d1 3 0.1 mine\n",
        "{path}:5: document 'd1' is ranked twice for topic '301' (first in line 2);"
        " 1 duplicate in all, `unjudged doctor` lists them, --duplicates best keeps one of each",
    ),
    run(
        "ranked twice, topics mixed",
        b"1 Q0 a 1 1 t\n2 Q0 a 1 1 t\n1 Q0 a 2 5 t\n",
        "{path}:3: document 'a' is ranked twice for topic '1' (first in line 1);"
        " 1 duplicate in all, `unjudged doctor` lists them, --duplicates best keeps one of each",
    ),
    # ---- Parquet
    qrels("text named .parquet", QRELS, NOT_PARQUET, "q.parquet"),
    qrels("empty Parquet file", b"", NOT_PARQUET, "q.parquet"),
    Broken("truncated Parquet file", "qrels", truncated_parquet, NOT_PARQUET),
    run("Parquet with another name", b"PAR1rest", "{path}: this is a Parquet file; give it the suffix .parquet"),
    Broken("directory named .parquet", "run", parquet_folder, "{path}: this is a directory; a file is needed here"),
    Broken(
        "Parquet without scores",
        "run",
        parquet({"qid": ["1"], "docno": ["a"], "text": ["b"]}),
        "{path}: no column score or rank or position; the columns are qid, docno, text",
    ),
    Broken(
        "Parquet with a column whose name moves the cursor",
        "run",
        parquet({"qid": ["1"], "docno": ["a"], "\x1b[2J\n": ["b"]}),
        r"{path}: no column score or rank or position; the columns are qid, docno, \x1b[2J\n",
    ),
    Broken("Parquet without rows", "run", parquet({"qid": [], "docno": [], "score": []}), "{path}: there are no rows"),
    Broken(
        "Parquet with a missing score",
        "run",
        parquet({"qid": ["1"], "docno": ["a"], "score": pyarrow.array([None], pyarrow.float64())}),
        "{path}: the score of topic '1', document 'a' is not a finite number: None",
    ),
]
