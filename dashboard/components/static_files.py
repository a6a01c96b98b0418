"""Files that a browser fetches once: put where Streamlit serves them, under names that change with their content.

A component's inline script and style are sent again with every message of every mount, 13 kB for each picture at each
move of a slider. So what is registered inline is only a loader.
"""

import hashlib
import re
import secrets
from pathlib import Path

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

_HERE = Path(__file__).parent
STATIC = _HERE.parent.parent / "static"
_IMPORT = re.compile(rb'(?<=from )"(\.{1,2}/[\w-]+\.js)"')

_LOADER = """
const address = name => new URL(`app/static/${name}`, document.baseURI).href;
if (!document.getElementById("STYLE")) {
  const link = document.createElement("link");
  document.head.append(Object.assign(link, { id: "STYLE", rel: "stylesheet", href: address("STYLE") }));
}
const script = import(address("SCRIPT"));
export default function (component) {
  let cleanup;
  const mounted = script.then(module => { cleanup = module.default(component); });
  return () => mounted.then(() => cleanup?.());
}
"""


def publish(source: Path) -> str:
    """Copy a file to where Streamlit serves it, and return its name there, which holds a hash of its content.

    What a script imports as "./name.js" or "../name.js" is published as well, and imported by its name there.
    """
    content = source.read_bytes()
    if source.suffix == ".js" and source.parent.is_relative_to(_HERE):
        content = _IMPORT.sub(lambda found: f'"./{publish(source.parent / found[1].decode())}"'.encode(), content)
    digest = hashlib.sha256(content).hexdigest()[:12]
    target = STATIC / f"{source.name.partition('.')[0]}-{digest}{source.suffix}"
    if not target.exists():
        STATIC.mkdir(exist_ok=True)
        partial = target.with_name(
            f"{target.name}.{secrets.token_hex(4)}.partial"
        )  # several processes may start at once
        partial.write_bytes(content)
        partial.replace(target)
    return target.name


def component(name: str, folder: Path) -> ComponentRenderer:
    """Register the component whose script and style are `folder`/NAME.js and NAME.css. It mounts on a div of the
    class `ew-NAME`."""
    loader = _LOADER.replace("SCRIPT", publish(folder / f"{name}.js")).replace("STYLE", publish(folder / f"{name}.css"))
    html = f"<div class='ew-{name}'></div>"
    return st.components.v2.component(f"encoder_walkthrough.{name}", html=html, js=loader, isolate_styles=False)
