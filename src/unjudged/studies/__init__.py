"""Studies: an answer to a user's question, composed of views, measures, hole models and resamplers."""
