"""Who may ask the server what."""

from __future__ import annotations

import asyncio
import http.client
import json
import logging
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from unjudged.errors import FileError, InputError
from unjudged.judging import Project, access
from unjudged.judging.serving import Serving

from .served import client, served, small_project

ASKED = ["/api/me", "/api/progress", "/api/lead/outlook", "/api/lead/disagreements", "/api/lead/export?format=qrels"]
SENT = ["/api/next", "/api/record", "/api/undo", "/api/lead/adjudicate"]


def asked(serving: Serving, text: str) -> tuple[int, dict[str, str], bytes]:
    """What is answered to a request as it stands here: no library makes it better."""
    with socket.create_connection(("127.0.0.1", serving.port), timeout=60) as connection:
        connection.sendall(text.replace("\n", "\r\n").encode())
        answer = http.client.HTTPResponse(connection)
        answer.begin()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()


# ---- names and origins


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"])
def test_this_machine_may_be_asked_by_its_names_and_through_tunnels(serving: Serving, name: str) -> None:
    for port in (serving.port, 9000):
        assert asked(serving, f"GET / HTTP/1.1\nHost: {name}:{port}\n\n")[0] == 200


@pytest.mark.parametrize(
    "lines",
    [
        "Host: evil.example",
        "Host: evil.example:{port}",
        "Host: 127.0.0.1.evil.example:{port}",
        "Host: localhost.evil.example",
        "Host: evil.example@127.0.0.1:{port}",
        "Host: 127.0.0.1:{port}/evil",
        "Host: 127.0.0.1:port",
        "Host: [::1",
        "Host:",
        "Host: 192.0.2.1:{port}",
    ],
)
def test_another_name_is_refused(serving: Serving, lines: str) -> None:
    for path in ("/", "/api/me", "/page/judge.js"):
        status, _, body = asked(serving, f"GET {path} HTTP/1.1\n{lines.format(port=serving.port)}\n\n")
        message = "this server is asked for under a name that is not its own; use the link that it printed"
        assert (status, json.loads(body)) == (421, {"error": message})


@pytest.mark.parametrize("lines", ["Host: 127.0.0.1\nHost: evil.example", "X: 1"], ids=["two names", "no name at all"])
def test_a_request_has_one_name(serving: Serving, lines: str) -> None:
    assert asked(serving, f"GET /api/me HTTP/1.1\n{lines}\n\n")[0] in (400, 421)


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:1"},
        {"origin": "http://localhost"},
        {"origin": "ftp://127.0.0.1"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_other_pages_may_not_ask(serving: Serving, project: Project, headers: dict[str, str]) -> None:
    asking = client(serving, project.new_token("lead"))
    for path in ASKED:
        answer = asking.get(path, headers=headers)
        assert (answer.status_code, answer.json()) == (403, {"error": "another page may not ask this server"})
    for path in SENT:
        assert asking.post(path, json={}, headers=headers).status_code == 403
    assert len(project.history()) == 0


def test_its_own_pages_may_ask_and_links_may_lead_to_it(serving: Serving, project: Project) -> None:
    asking = client(serving, project.new_token("ann"))
    own = {"origin": f"http://127.0.0.1:{serving.port}", "sec-fetch-site": "same-origin"}
    assert asking.post("/api/next", json={}, headers=own).status_code == 200
    assert asking.get("/join", headers={"sec-fetch-site": "cross-site"}).status_code == 200


# ---- tokens


def test_nothing_is_said_without_a_token(serving: Serving) -> None:
    asking = client(serving)
    message = {"error": "this page does not know you; open the link that you were given"}
    for answer in [*(asking.get(path) for path in ASKED), *(asking.post(path, json={}) for path in SENT)]:
        assert (answer.status_code, answer.json()) == (401, message)


@pytest.mark.parametrize("token", ["", "x", "x" * 43, "é\N{BULLET}", "' OR 1=1 --", "\0"])
def test_a_wrong_token_is_refused(serving: Serving, token: str) -> None:
    answer = client(serving).post("/api/join", json={"token": token})
    message = "this link is not valid (any more); ask whoever gave it to you for a new one"
    assert (answer.status_code, answer.json()) == (401, {"error": message})
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("token", [None, 1, ["x"], {"a": 1}, "x" * 2000])
def test_a_token_is_text(serving: Serving, token: object) -> None:
    assert client(serving).post("/api/join", json={"token": token}).status_code == 400


def test_the_cookie_is_for_this_server_and_no_script(serving: Serving, project: Project) -> None:
    token = project.new_token("ann")
    answer = client(serving).post("/api/join", json={"token": token})
    name, *attributes = answer.headers["set-cookie"].split("; ")
    assert name == f"unjudged-{serving.port}={token}"
    assert {one.lower() for one in attributes} == {"httponly", "max-age=2592000", "path=/", "samesite=strict"}


def test_tokens_are_not_logged_and_not_in_links_that_reach_the_server(
    serving: Serving, project: Project, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    token = project.new_token("ann")
    link = serving.link(token)
    assert link == f"http://127.0.0.1:{serving.port}/join#{token}"
    asking = client(serving, token)
    asking.get("/api/me")
    asking.post("/api/record", json={"pair": "broken"})
    asked(serving, f"GET / HTTP/1.1\nHost: 127.0.0.1\nCookie: unjudged-{serving.port}={token}\nbroken\n\n")
    logged = [one.getMessage() for one in caplog.records if one.name.startswith(("uvicorn", "starlette", "unjudged"))]
    said = capfd.readouterr()
    assert token not in "".join([*logged, said.out, said.err])
    with pytest.raises(AssertionError):  # the token, were it sent as part of the address, is no way in
        client(serving, token + "x")


def test_only_hashes_of_tokens_are_in_the_file(project: Project) -> None:
    token = project.new_token("ann")
    with project.transaction():
        pass
    for path in Path(project.path).parent.iterdir():
        assert token.encode() not in path.read_bytes()


def test_a_revoked_token_is_refused(serving: Serving, project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "_REMEMBERED_SECONDS", 0)
    asking = client(serving, project.new_token("ann"))
    assert asking.get("/api/me").status_code == 200
    project.revoke_tokens("ann")
    assert asking.get("/api/me").status_code == 401


def test_a_ticket_is_good_for_one_use(serving: Serving, project: Project) -> None:
    ticket = serving.ticket("lead").partition("#")[2]
    asking = client(serving, ticket)
    assert asking.get("/api/me").json()["assessor"] == "lead"
    assert client(serving).post("/api/join", json={"token": ticket}).status_code == 401
    assert project.assessor_of(ticket) is None


def test_assessors_may_not_see_what_the_lead_sees(serving: Serving, project: Project) -> None:
    asking = client(serving, project.new_token("ann"))
    for path in ASKED[2:]:
        answer = asking.get(path)
        assert (answer.status_code, answer.json()) == (403, {"error": "only the lead may see this"})
    assert asking.post("/api/lead/adjudicate", json={"pair": 1, "grade": 1}).status_code == 403
    assert asking.get("/api/progress").json()["disputed"] is None


# ---- what is sent


def test_requests_are_json(serving: Serving, project: Project) -> None:
    asking = client(serving, project.new_token("lead"))
    for path in (*SENT, "/api/join"):
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
            answer = asking.post(path, content=b"{}", headers={"content-type": kind})
            assert answer.status_code == 415
            assert answer.json() == {"error": "send JSON, with Content-Type: application/json"}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b'{"a": NaN}',
        b'{"a": Infinity}',
        b'{"note": "\xff\xfe"}',
        b'\xed\xa0\x80{"note": ""}',
        b'{"note": "\\ud800"}',
        b'{"\\udfff": 1}',
        b'{"pair": ' + b"9" * 5000 + b"}",
        b"[" * 20000,
        b'{"a":' * 10000,
    ],
)
def test_what_is_no_json_in_utf8_is_refused(serving: Serving, project: Project, body: bytes) -> None:
    asking = client(serving, project.new_token("lead"))
    for path in SENT:
        answer = asking.post(path, content=body, headers={"content-type": "application/json"})
        assert (answer.status_code, answer.json()) == (400, {"error": "this is no JSON in UTF-8"})


@pytest.mark.parametrize("body", ["[]", "1", "null", '"text"'])
def test_requests_are_objects(serving: Serving, project: Project, body: str) -> None:
    asking = client(serving, project.new_token("lead"))
    answer = asking.post("/api/next", content=body, headers={"content-type": "application/json; charset=utf-8"})
    assert (answer.status_code, answer.json()) == (400, {"error": "send a JSON object"})


def test_sizes_are_bounded(serving: Serving, project: Project) -> None:
    asking = client(serving, project.new_token("ann"))
    large = b'{"note": "' + b"x" * access.LONGEST_BODY + b'"}'

    def parts() -> Iterator[bytes]:
        for at in range(0, len(large), 1000):
            yield large[at : at + 1000]

    for content in (large, parts()):
        answer = asking.post("/api/record", content=content, headers={"content-type": "application/json"})
        assert answer.status_code == 413
        assert answer.json() == {"error": "a request has at most 64 kB; make the note shorter"}
    status, _, _ = asked(serving, f"GET /{'x' * 100_000} HTTP/1.1\nHost: 127.0.0.1\n\n")
    assert status in (400, 414)


def test_a_request_that_does_not_end_is_given_up(
    serving: Serving, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(access, "_BODY_SECONDS", 0.05)
    cookie = f"unjudged-{serving.port}={project.new_token('ann')}"
    head = f"POST /api/next HTTP/1.1\nHost: 127.0.0.1:{serving.port}\nCookie: {cookie}\n"
    status, _, body = asked(serving, f"{head}Content-Type: application/json\nContent-Length: 100\n\n{{")
    assert (status, json.loads(body)) == (408, {"error": "the request did not end"})


@pytest.mark.parametrize(
    "path",
    [
        "/page/../server.py",
        "/page/%2e%2e/server.py",
        "/page/..%2f..%2fserver.py",
        "/page/..\\server.py",
        "/page//etc/passwd",
        "//etc/passwd",
        "/../../../../etc/passwd",
        "/page/judge.js/../../server.py",
        "/page/judge.js%00.html",
        "/page/",
        "/page",
        "/p.unjudged",
        "/page/lead.html",
        "/api/",
        "/api/nothing",
        "http://127.0.0.1/etc/passwd",
    ],
)
def test_there_is_nothing_but_the_page(serving: Serving, path: str) -> None:
    status, _, body = asked(serving, f"GET {path} HTTP/1.1\nHost: 127.0.0.1\n\n")
    assert (status, json.loads(body)) == (404, {"error": "there is nothing here that answers this"})


def test_nothing_is_changed_by_looking(serving: Serving, project: Project) -> None:
    asking = client(serving, project.new_token("lead"))
    for path in SENT:
        assert asking.get(path).status_code == 405
        assert asking.put(path, json={}).status_code == 405
    assert asking.post("/api/me", json={}).status_code == 405
    assert asking.delete("/").status_code == 405


def test_every_answer_says_what_a_browser_may_do(serving: Serving, project: Project) -> None:
    asking = client(serving, project.new_token("ann"))
    answers = [
        *(asking.get(path) for path in ("/", "/lead", "/join", "/page/judge.js", "/page/theme.css", "/api/me")),
        *(asking.get(path) for path in ("/nothing", "/api/lead/outlook")),
        asking.post("/api/next", json=[]),
        asking.get("/", headers={"host": "evil.example"}),
    ]
    for answer in answers:
        policy = answer.headers["content-security-policy"].split("; ")
        assert policy[0] == "default-src 'none'"
        assert {"script-src 'self'", "style-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"} <= set(policy)
        assert not {one for one in policy if "unsafe" in one or "*" in one}
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cache-control"] == "no-store"
        assert "server" not in answer.headers
        assert "access-control-allow-origin" not in answer.headers


# ---- where it listens


def test_it_listens_to_this_machine_alone_unless_told(project: Project) -> None:
    with served(project) as serving:
        assert serving.address == f"http://127.0.0.1:{serving.port}"


def test_answers_are_sent_at_once(serving: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without waiting until the other side has confirmed their beginning, which takes it 40 ms."""
    accepted: list[socket.socket] = []
    made = asyncio.selector_events._SelectorSocketTransport.__init__  # type: ignore[attr-defined]

    def watched(transport: object, loop: object, taken: socket.socket, *more: object, **options: object) -> None:
        accepted.append(taken)
        made(transport, loop, taken, *more, **options)

    monkeypatch.setattr("asyncio.selector_events._SelectorSocketTransport.__init__", watched)
    with client(serving) as asking:
        asking.get("/api/me")
        (taken,) = accepted
        assert taken.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) != 0


def test_whoever_listens_to_others_asks_them_for_tokens_too(project: Project) -> None:
    with served(project, host="0.0.0.0") as serving:
        own = socket.gethostname()
        assert serving.address == f"http://{own}:{serving.port}"
        status, _, _ = asked(serving, f"GET /api/me HTTP/1.1\nHost: {own}:{serving.port}\n\n")
        assert status == 401
        assert asked(serving, "GET /api/me HTTP/1.1\nHost: evil.example\n\n")[0] == 421


def test_behind_a_proxy_it_has_the_name_of_the_proxy(project: Project) -> None:
    with served(project, address="https://judge.example:8443/") as serving:
        assert serving.link("x") == "https://judge.example:8443/join#x"
        named = {"host": "judge.example:8443", "origin": "https://judge.example:8443"}
        asking = client(serving)
        answer = asking.post("/api/join", json={"token": project.new_token("ann")}, headers=named)
        assert answer.headers["set-cookie"].startswith("unjudged-8443=")
        assert "secure" in answer.headers["set-cookie"].lower().split("; ")
        assert asking.get("/", headers={"host": "other.example"}).status_code == 421


@pytest.mark.parametrize("address", ["judge.example", "ftp://x", "https://x/y", "https://u@x", "https://[", "http://"])
def test_the_address_of_a_proxy_is_a_name(project: Project, address: str) -> None:
    with pytest.raises(InputError) as problem:
        Serving(project, port=0, address=address)
    assert str(problem.value) == f"an address is one such as https://judge.example.org, not {address!r}"


def test_a_project_is_served_once(serving: Serving, project: Project) -> None:
    with Project(project.path) as second:
        with pytest.raises(FileError) as problem:
            Serving(second, port=0)
        assert str(problem.value).startswith(f"{project.path}: another process serves this project (process ")
        assert f", {serving.address}); use that one, or stop it first" in str(problem.value)
    assert client(serving).get("/").status_code == 200


def test_a_port_that_is_taken_is_one_line(serving: Serving, tmp_path: Path) -> None:
    with small_project(tmp_path / "second.unjudged") as second, pytest.raises(InputError) as problem:
        Serving(second, port=serving.port)
    assert str(problem.value) == (
        f"cannot listen at 127.0.0.1 port {serving.port}: Address already in use; give another --port, or none"
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"host": "no such host."},
            "there is no address of this machine called 'no such host.'; give --host 127.0.0.1",
        ),
        ({"host": "192.0.2.1"}, "cannot listen at 192.0.2.1; give --host 127.0.0.1"),
        ({"port": 70000}, "a port is a number from 1 to 65535, not 70000"),
    ],
)
def test_an_impossible_address_is_one_line(project: Project, given: dict[str, object], message: str) -> None:
    with pytest.raises(InputError) as problem:
        Serving(project, **given)  # type: ignore[arg-type]
    assert str(problem.value) == message
    with served(project):
        pass  # the lock was not taken
