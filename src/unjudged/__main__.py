"""``python -m unjudged``"""

from __future__ import annotations

from unjudged.cli import main

main()
