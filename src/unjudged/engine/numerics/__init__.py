"""The inner loops: scores of one run, joint imputations, differences, images of the corpus, degraded judgments."""
