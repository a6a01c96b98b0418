"""The annotations of `encoder_core`, shapes included, are checked while the tests run (jaxtyping with beartype).

HYPOTHESIS_PROFILE=thorough draws many more examples than the default profile, and new ones at each run.
"""

import gc
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

gc.disable()  # until all is imported and collected: a fifth of that time, for no garbage

import tests.environment  # noqa: E402, F401 - before anything imports NumPy or JAX
from tests import type_checks  # noqa: E402

type_checks.install()  # before anything imports encoder_core

import jaxtyping  # noqa: E402
import pytest  # noqa: E402
from hypothesis import HealthCheck, settings  # noqa: E402
from playwright.sync_api import sync_playwright  # noqa: E402
from threadpoolctl import threadpool_limits  # noqa: E402
from xdist.scheduler import LoadFileScheduling  # noqa: E402
from xdist.workermanage import WorkerController  # noqa: E402

from benchmarks.serving import chromium  # noqa: E402
from tests.servers import SERVER, running  # noqa: E402

threadpool_limits(1, "blas")  # without workers, a plugin has imported NumPy before the variables were set

# The tests do not earn back what V8's slowest compiler and its collections of garbage cost, nor its middle compiler for
# functions that are not called often: 15% of the processor time of loading a page, a tenth of a move. Helping threads
# of a collection only take the processor from the other worker: another 6%.
_V8_FLAGS = (
    "--no-turbofan",
    "--invocation-count-for-maglev=8000",
    "--single-threaded-gc",
    "--min-semi-space-size=128",
    "--max-semi-space-size=128",
    "--initial-old-space-size=1000",
)
_TESTS = Path(__file__).parent
_ALWAYS = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large]}
settings.register_profile("default", max_examples=10, derandomize=True, database=None, **_ALWAYS)
settings.register_profile("thorough", max_examples=500, **_ALWAYS)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


# One worker has the browser, another one what waits for servers, a third one computes whenever these two wait.
_ORDER = ("browser", "state", "client", "robustness", "deploy", "javascript", "pages", "core")
_SHARED_SERVERS = ("browser", "client", "robustness")  # one server, for all files of the folder
_IN_PAUSES = "gw2"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The order that keeps two cores busy until the end."""
    place = {folder: number for number, folder in enumerate(_ORDER)}
    items.sort(key=lambda item: place.get(item.path.relative_to(_TESTS).parts[0], len(_ORDER)))


class _FilesWithOneServer(LoadFileScheduling):
    """Each file goes to the worker that is free, but a folder whose files share a server to one worker.

    The third worker takes the files from the end on: those that only compute.
    """

    def _assign_work_unit(self, node: WorkerController) -> None:
        if node.gateway.id == _IN_PAUSES:
            self.workqueue.move_to_end(next(reversed(self.workqueue)), last=False)
        super()._assign_work_unit(node)

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        folder = Path(file).parts[1]
        return folder if folder in _SHARED_SERVERS else file


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadFileScheduling:
    return _FilesWithOneServer(config, log)


def pytest_collection_finish() -> None:
    """Keep the garbage collector from going through all modules and tests again and again: a second each time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 10, 10)  # by default it takes a tenth of the time of page tests
    gc.enable()
    if os.environ.get("PYTEST_XDIST_WORKER") == _IN_PAUSES:
        _give_way()


def _give_way() -> None:
    """Compute when no other worker does: two of them leave two cores idle for a tenth of the time."""
    os.nice(10)
    with suppress(OSError):  # where Linux does not count the processes of a session as one
        os.setsid()
        Path("/proc/self/autogroup").write_text("10")


def pytest_runtest_setup() -> None:
    type_checks.begin_test()


@pytest.fixture
def no_collection():
    """Garbage is collected only where it is asked for, and without what earlier tests have left: that takes 2 s."""
    gc.disable()
    gc.freeze()
    yield
    gc.enable()


@pytest.fixture
def unchecked():
    """Annotations are not checked, as in the app: what a user gets wrong must be found by the code itself."""
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)


@pytest.fixture(scope="session")
def log(tmp_path_factory):
    """What the server of the app says."""
    return tmp_path_factory.mktemp("server") / "log.txt"


@pytest.fixture(scope="session")
def server(log):
    """The URL of the app. No test may make it raise."""
    with running(SERVER, log) as url:
        yield url
        lines = log.read_text()
        assert "Traceback" not in lines, lines


@pytest.fixture(scope="session")
def browser():
    """Chromium, one for all tests of a process: Playwright allows no more."""
    with sync_playwright() as playwright:
        browser = chromium(playwright, *_V8_FLAGS)
        yield browser
        browser.close()
