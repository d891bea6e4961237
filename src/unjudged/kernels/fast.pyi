from unjudged.kernels.reference import *  # noqa: F403
