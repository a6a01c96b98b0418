"""The rules of nginx: which process answers, what is compressed and cached, how much one address may do."""

import gzip
import secrets
import subprocess
import time

import pytest

from benchmarks.serving import free_port
from deploy.rendering import Service, find_nginx
from tests.deploy.stubs import HASHED, SCRIPT, Stub, proxy

WEBSOCKETS, STATIC = 250, "/static/js/index.DormvYxC.js"
SOCKETS = ("/_stcore/stream", "/early_figures/a-token")


@pytest.fixture(scope="module")
def stubs():
    stubs = [Stub(), Stub(media=True)]
    yield stubs
    for stub in stubs:
        stub.stop()


@pytest.fixture(scope="module")
def nginx(stubs):
    with proxy(stubs) as nginx:
        yield nginx


def new_cookie() -> str:
    return f"affinity={secrets.token_hex(16)}"


@pytest.mark.parametrize(("processes", "trusted"), [(1, ()), (2, ("10.0.0.0/8",)), (8, ("127.0.0.1", "::1"))])
def test_nginx_accepts_the_configuration(tmp_path, processes, trusted):
    service = Service(8501, tuple(range(8502, 8502 + processes)), tmp_path, trusted)
    service.write()
    command = [find_nginx(), "-t", "-p", tmp_path, "-c", tmp_path / "nginx.conf", "-e", "stderr"]
    checked = subprocess.run(command, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr
    assert "[warn]" not in checked.stderr
    supervisord = service.render("supervisord.conf")
    assert supervisord.count("[program:app-") == processes
    assert supervisord.count("killasgroup=true") == supervisord.count("[program:") == processes + 1


def test_a_trusted_proxy_must_be_a_network(tmp_path):
    with pytest.raises(ValueError, match="example"):
        Service(8501, (8502,), tmp_path, ("example.org; evil",)).render("nginx.conf")


@pytest.mark.parametrize(("version", "is_used"), [("1.18.0", False), ("1.19.5", True), ("1.28.0 (Ubuntu)", True)])
def test_an_nginx_that_does_not_know_the_option_e_is_refused(tmp_path, monkeypatch, version, is_used):
    script = tmp_path / "nginx"
    script.write_text(f"#!/bin/sh\necho 'nginx version: nginx/{version}' >&2\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    if is_used:
        assert find_nginx() == str(script)
    else:
        with pytest.raises(ValueError, match=r"nginx/1.18.0 is too old: 1.19.5 or later is needed."):
            find_nginx()


def test_a_cookie_leads_to_one_process(nginx, stubs):
    cookies = [nginx.get().cookie for _ in range(30)]
    ports = {cookie: {nginx.get(cookie=cookie).port for _ in range(3)} for cookie in cookies}
    assert all(len(ports_of_one) == 1 for ports_of_one in ports.values())
    assert {port for ports_of_one in ports.values() for port in ports_of_one} == {stub.port for stub in stubs}
    answer = nginx.get(cookie=cookies[0])
    assert answer.cookie == ""  # it has one
    assert answer.headers["X-Process"] == f"127.0.0.1:{answer.port}"
    assert nginx.get(cookie="affinity=chosen").cookie.startswith("affinity=")


@pytest.mark.parametrize("socket", SOCKETS)
def test_a_websocket_reaches_the_process_of_the_page(nginx, stubs, socket):
    for cookie in (new_cookie() for _ in range(6)):
        port = nginx.get(cookie=cookie).port
        status, connection = nginx.websocket(cookie, path=socket)
        connection.close()
        assert status == 101
        path, headers = next(stub.requests[-1] for stub in stubs if stub.port == port)
        assert path == socket
        assert headers["Host"] == f"127.0.0.1:{nginx.port}"


def test_another_process_answers_until_the_first_is_back():
    one, other = Stub(free_port()), Stub()  # no connection can have that port meanwhile
    with proxy([one, other]) as nginx:
        cookie = next(
            cookie for cookie in (new_cookie() for _ in range(100)) if nginx.get(cookie=cookie).port == one.port
        )
        one.stop()
        for _ in range(4):
            assert nginx.get(cookie=cookie).port == other.port
        assert nginx.websocket(cookie)[0] == 101
        again = Stub(one.port)
        deadline = time.monotonic() + 10
        while nginx.get(cookie=cookie).port != one.port:
            assert time.monotonic() < deadline
            time.sleep(0.1)
        again.stop()
    other.stop()


def test_a_download_is_found_in_the_other_process(nginx):
    for _ in range(8):
        assert nginx.get("/media/file.csv", cookie=new_cookie()).status == 200


@pytest.mark.parametrize(
    "path", ["/_stcore/metrics", "/%5fstcore/metrics", "/x/../_stcore/metrics", "//_stcore/metrics"]
)
def test_metrics_are_not_public(nginx, stubs, path):
    before = sum(len(stub.requests) for stub in stubs)
    assert nginx.get(path).status == 404
    assert sum(len(stub.requests) for stub in stubs) == before


@pytest.mark.parametrize("path", [STATIC, HASHED])
def test_scripts_are_compressed_once_and_kept_for_ever(nginx, stubs, path):
    answers = [nginx.get(path, cookie=new_cookie(), Accept_Encoding="gzip, deflate, br") for _ in range(5)]
    for answer in answers:
        assert answer.headers["Content-Encoding"] == "gzip"
        assert answer.headers["Cache-Control"] == "public, immutable, max-age=31536000"
        assert len(answer.body) < len(SCRIPT) / 20
        assert gzip.decompress(answer.body) == SCRIPT
    assert nginx.get(path, Accept_Encoding="br").body == SCRIPT
    assert nginx.get(path).headers["Content-Encoding"] is None
    assert sum(asked == path for stub in stubs for asked, _ in stub.requests) == 2  # compressed and plain


def test_other_files_of_the_app_are_not_kept(nginx):
    assert "immutable" not in (nginx.get("/app/static/favicon.js").headers["Cache-Control"] or "")


def test_a_room_of_a_hundred_people_behind_one_address_arrives(stubs):
    """A page, health and configuration, as a browser asks for them, and two websockets that stay open."""
    with proxy(stubs) as nginx:
        websockets = []
        for cookie in (new_cookie() for _ in range(100)):
            for path in ("/scaled_scores", "/_stcore/health", "/_stcore/host-config"):
                assert nginx.get(path, cookie).status == 200
            for path in SOCKETS:
                status, connection = nginx.websocket(cookie, path=path)
                assert status == 101
                websockets.append(connection)
        for connection in websockets:
            connection.close()


@pytest.mark.parametrize("socket", SOCKETS)
def test_a_flood_from_one_address_leaves_the_service_to_others(stubs, socket):
    with proxy(stubs) as nginx:
        opened = [nginx.websocket(path=socket) for _ in range(WEBSOCKETS + 50)]
        statuses = [status for status, _ in opened]
        assert statuses.count(101) <= WEBSOCKETS
        assert set(statuses) == {101, 429}
        half_sent = [nginx.request("/", Content_Length="5") for _ in range(300)]  # and nothing follows
        begin = time.monotonic()
        assert nginx.get(source="127.0.0.2").status == 200
        status, connection = nginx.websocket(source="127.0.0.2")
        assert status == 101
        assert time.monotonic() - begin < 2
        for each in (connection, *half_sent, *(websocket for _, websocket in opened)):
            each.close()


def test_behind_a_trusted_proxy_visitors_are_counted_one_by_one(stubs):
    with proxy(stubs, ("127.0.0.1",)) as nginx:
        statuses = [nginx.get("/_stcore/health", X_Forwarded_For="192.0.2.1").status for _ in range(900)]
        assert 429 in statuses
        assert nginx.get("/_stcore/health", X_Forwarded_For="192.0.2.2").status == 200
