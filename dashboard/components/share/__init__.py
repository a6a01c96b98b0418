"""The component with a link, its QR code, a button that copies the link, and one that shows the code full-screen."""

from pathlib import Path

from dashboard.components.share.qr import qr_path
from dashboard.components.static_files import register_component

MAX_CODE = 1_000  # characters; the squares of a longer link's code are too small for a phone across a room
_COMPONENT = register_component("share", Path(__file__).parent)


def render_share(link: str, title: str, *, key: str) -> None:
    """Render a link to a page with this title. A link of more than `MAX_CODE` characters has no code."""
    size, path = qr_path(link) if len(link) <= MAX_CODE else (0, "")
    _COMPONENT(data={"link": link, "title": title, "size": size, "path": path, "maxCode": MAX_CODE}, key=key)
