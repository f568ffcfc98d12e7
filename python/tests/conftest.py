"""Random tests draw the same cases in every run. With ``HYPOTHESIS_PROFILE=random``, they draw other cases."""

import os

from hypothesis import settings

settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("random", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))
