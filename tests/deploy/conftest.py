"""The walkthrough behind nginx, started once for the tests of a file."""

import pytest

pytest.register_assert_rewrite("tests.deploy.lost_server")

from tests.deploy.service import service  # noqa: E402


@pytest.fixture(scope="module")
def running(request, tmp_path_factory):
    """The service with as many processes as the file says: PROCESSES."""
    with service(request.module.PROCESSES, tmp_path_factory.mktemp("service") / "log.txt") as running:
        yield running
