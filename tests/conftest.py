"""Every annotation of `encoder_core`, shapes included, is checked while the tests run (jaxtyping with beartype).

HYPOTHESIS_PROFILE=thorough draws many more examples than the default profile, and new ones at each run.
"""

import os

from jaxtyping import install_import_hook

install_import_hook("encoder_core", "beartype.beartype")  # before anything imports encoder_core

import jaxtyping  # noqa: E402
import pytest  # noqa: E402
from hypothesis import HealthCheck, settings  # noqa: E402

_ALWAYS = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large]}
settings.register_profile("default", max_examples=50, derandomize=True, database=None, **_ALWAYS)
settings.register_profile("thorough", max_examples=500, **_ALWAYS)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.fixture
def unchecked():
    """Annotations are not checked, as in the app: what a user gets wrong must be found by the code itself."""
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)
