"""Variables that the processes of the tests set before they import anything. They share compiled programs."""

import os
from pathlib import Path

# Compiling the programs of the app takes each process 12 s, reading them 1 s.
os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(Path(__file__).parents[1] / ".pytest_cache" / "compiled"))
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")

# Several processes of tests run on two cores. NumPy's and torch's threads spin while they wait for one that has no
# processor: with them, files that compute take a fifth more processor time, and up to twice as long.
for _variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "PJRT_NPROC"):
    os.environ.setdefault(_variable, "1")
