"""The configurations of nginx and supervisord for one start, from their templates."""

import grp
import os
import pwd
import re
import resource
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_network
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

HERE = Path(__file__).parent
ROOT = HERE.parent
_MAX_OPEN_FILES = 16_384
_OLDEST_NGINX = (1, 19, 5)  # the first with the option -e
_TEMPLATES = Environment(
    loader=FileSystemLoader(HERE), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False
)


@dataclass(frozen=True)
class Service:
    """What runs on this machine.

    port             where nginx listens
    app_ports        where the Streamlit processes listen, on 127.0.0.1
    folder           for the sockets and temporary files of this start
    trusted_proxies  networks of the proxies in front of this machine, whose X-Forwarded-For names the visitor
    """

    port: int
    app_ports: tuple[int, ...]
    folder: Path
    trusted_proxies: tuple[str, ...] = ()

    def write(self) -> None:
        """Write both configurations into the folder."""
        for name in ("nginx.conf", "supervisord.conf"):
            (self.folder / name).write_text(self.render(name), encoding="utf-8")

    def render(self, name: str) -> str:
        """The text of "nginx.conf" or "supervisord.conf". Raises ValueError where something cannot be used."""
        return _TEMPLATES.get_template(f"{name}.template").render(
            port=self.port,
            app_ports=self.app_ports,
            folder=str(self.folder),
            trusted_proxies=[str(ip_network(network)) for network in self.trusted_proxies],
            user=_worker_user(),
            open_files=_open_files(),
            nginx=find_nginx(),
            python=sys.executable,
            root=str(ROOT).replace("%", "%%"),
            command=_command,
        )


def trusted_proxies(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The networks in TRUSTED_PROXIES, separated by commas."""
    return tuple(network.strip() for network in environment.get("TRUSTED_PROXIES", "").split(",") if network.strip())


def find_nginx() -> str:
    """The path of nginx, which Debian keeps out of the PATH of ordinary users.

    Raises ValueError if there is none, and for a version without the option -e.
    """
    nginx = shutil.which("nginx", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"]))
    if not nginx:
        raise ValueError("nginx is not installed (on Debian and Ubuntu: apt-get install nginx-light).")
    version_line = subprocess.run([nginx, "-v"], stderr=subprocess.PIPE, text=True).stderr
    version = re.search(r"nginx/(\d+)\.(\d+)\.(\d+)", version_line)
    if version and tuple(map(int, version.groups())) < _OLDEST_NGINX:
        raise ValueError(f"{version[0]} is too old: {'.'.join(map(str, _OLDEST_NGINX))} or later is needed.")
    return nginx


def _worker_user() -> str:
    """User and group of nginx's workers if root starts it, else ""."""
    if os.geteuid() != 0:
        return ""
    nobody = pwd.getpwnam("nobody")
    return f"nobody {grp.getgrgid(nobody.pw_gid).gr_name}"


def _open_files() -> int:
    """How many files nginx may open: two for each websocket."""
    _, allowed = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _MAX_OPEN_FILES if allowed == resource.RLIM_INFINITY else min(allowed, _MAX_OPEN_FILES)


def _command(words: list[str]) -> str:
    """A command as supervisord reads it, where "%" begins a name."""
    return shlex.join(words).replace("%", "%%")
