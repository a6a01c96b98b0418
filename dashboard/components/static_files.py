"""Publish scripts and styles as static files, which a browser fetches once; their names change with their content.

Streamlit sends a component's inline script and style with every message of every mount: 13 kB per plot at each move of
a slider. The components therefore register only a small loader inline. It calls the script when the style has loaded: a
plot is fitted to the width of its panel.
"""

import hashlib
import re
import secrets
from collections.abc import Iterable
from pathlib import Path

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

_HERE = Path(__file__).parent
STATIC = _HERE.parent.parent / "static"
_IMPORT = re.compile(rb'(?<=from )"(\.{1,2}/[\w/.-]+\.js)"')

_LOADER = """
const address = name => new URL(`app/static/${name}`, document.baseURI).href;
const link = document.getElementById("STYLE") ?? document.createElement("link");
const styled = link.sheet || new Promise(done => {
  link.addEventListener("load", done);
  link.addEventListener("error", () => { link.remove(); done(); });
});
if (!link.isConnected)
  document.head.append(Object.assign(link, { id: "STYLE", rel: "stylesheet", href: address("STYLE") }));
const script = Promise.all([import(address("SCRIPT")), styled]).then(([module]) => module);
export default function (component) {
  let cleanup;
  const mounted = script.then(module => { cleanup = module.default(component); });
  return () => mounted.then(() => cleanup?.());
}
"""


def publish(source: Path) -> str:
    """Copy a file to Streamlit's folder of static files and return its name there, which contains a hash.

    Scripts that it imports by a relative path, such as "../name.js", are published as well, under their new names.
    """
    content = source.read_bytes()
    if source.suffix == ".js" and source.parent.is_relative_to(_HERE):
        content = _IMPORT.sub(lambda match: f'"./{publish(source.parent / match[1].decode())}"'.encode(), content)
    return publish_content(source.name, content)


def publish_content(name: str, content: bytes) -> str:
    """Write a file into Streamlit's folder of static files and return its name there, which contains a hash."""
    digest = hashlib.sha256(content).hexdigest()[:12]
    target = STATIC / f"{name.partition('.')[0]}-{digest}{Path(name).suffix}"
    if not target.exists():
        STATIC.mkdir(exist_ok=True)
        # A random name, because several processes can start at once.
        partial = target.with_name(f"{target.name}.{secrets.token_hex(4)}.partial")
        partial.write_bytes(content)
        partial.replace(target)
    return target.name


def publish_all(scripts: Iterable[Path]) -> list[str]:
    """Publish scripts and return the names of all that a browser then fetches: of these, and of what they import."""
    names = [publish(script) for script in scripts]
    for name in names:  # which grow meanwhile
        imports = [path.decode().removeprefix("./") for path in _IMPORT.findall((STATIC / name).read_bytes())]
        names += [path for path in imports if path not in names]
    return names


def register_component(name: str, folder: Path) -> ComponentRenderer:
    """Register the component with the script NAME.js and the style NAME.css in `folder`.

    It mounts on a div of class `ew-NAME`.
    """
    loader = _LOADER.replace("SCRIPT", publish(folder / f"{name}.js")).replace("STYLE", publish(folder / f"{name}.css"))
    html = f"<div class='ew-{name}'></div>"
    return st.components.v2.component(f"encoder_walkthrough.{name}", html=html, js=loader, isolate_styles=False)
