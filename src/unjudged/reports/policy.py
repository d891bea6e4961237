"""What the pages that we write may do: nothing but what is in them, named by its hash."""

from __future__ import annotations

import base64
import hashlib

from unjudged.reports.escape import for_html

__all__ = ["policy_element"]


def policy_element(*, style: str, script: str | None = None, images: str = "") -> str:
    """The element that allows a page this style and this script, and images from these sources; nothing else.

    Text is hashed as it stands between the tags. So whatever a name from a file would become, no browser runs it, and
    nothing can be loaded from or sent to anywhere.
    """
    rules = ["default-src 'none'"]
    if script is not None:
        rules.append(f"script-src '{_hash(script)}'")
    rules.append(f"style-src '{_hash(style)}'")
    if images:
        rules.append(f"img-src {images}")
    rules += ["base-uri 'none'", "form-action 'none'"]
    return f'<meta http-equiv="Content-Security-Policy" content="{for_html("; ".join(rules))}">'


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
