"""How `make serve` ends."""

import os
import subprocess
import sys
from pathlib import Path

from benchmarks.processes import descendants
from benchmarks.serving import free_port
from tests.servers import ROOT


def test_a_service_whose_messages_nobody_reads_any_more_ends_with_all_its_processes():
    """`make serve | head -1`: a service that went on would have the port, and nobody would see it."""
    command = [sys.executable, "-m", "deploy.serve", "--processes", "1", "--port", str(free_port())]
    serve = subprocess.Popen(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE)  # fmt: skip
    assert serve.stdout
    assert serve.stderr
    assert serve.stdout.readline().startswith(b"The walkthrough starts at http://localhost:")
    assert serve.stdout.readline()  # of supervisord
    started = [serve.pid, *descendants(serve.pid)]  # a browser of other tests may start processes at any time
    assert len(started) >= 2  # this one and supervisord
    serve.stdout.close()
    assert serve.wait(60) == 0
    assert serve.stderr.read() == b""
    assert [pid for pid in started if Path(f"/proc/{pid}").exists()] == []
