"""The server computes in one thread, in a process of its own: another one would keep the setting."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SCRIPT = """
import json, os
from threadpoolctl import threadpool_info
from dashboard.models.threads import compute_in_one_thread
import numpy
counts = lambda: [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
before = counts()
compute_in_one_thread()
print(json.dumps([before, counts(), os.environ["PJRT_NPROC"]]))
"""


def threads(**environment: str) -> tuple[list[int], list[int], str]:
    """The threads of each BLAS before and after, and PJRT_NPROC."""
    ours = {name: value for name, value in os.environ.items() if not name.endswith(("_THREADS", "_NPROC"))}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=ROOT, env=ours | environment, capture_output=True, text=True, check=True
    )
    before, after, xla = json.loads(done.stdout)
    return before, after, xla


def test_the_server_computes_in_one_thread():
    before, after, xla = threads()
    assert before
    assert before == [min(len(os.sched_getaffinity(0)), 64)] * len(before)  # OpenBLAS has at most 64
    assert after == [1] * len(before)
    assert xla == "1"


def test_the_environment_decides_where_it_says_something():
    before, after, xla = threads(OPENBLAS_NUM_THREADS="2", PJRT_NPROC="3")
    assert before == after
    assert xla == "3"
