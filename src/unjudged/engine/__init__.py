"""Running a study: one run at a time, in threads, in bounded memory."""
