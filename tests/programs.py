"""Compile the programs of the app into the folder of the tests: `python -m tests.programs`.

It takes 12 s of processor time. Otherwise each process of the tests, and their servers, would begin with it at once.
"""

import tests.environment  # noqa: F401 - before anything imports JAX
from encoder_core import Encoder, warm_up

if __name__ == "__main__":
    warm_up()
    Encoder.pretrained("all-MiniLM-L6-v2", offline=True).warm_up()
