"""The manifests: valid by their schemas, and consistent with each other and with the project."""

import json
import shutil
import subprocess
import sys
from fnmatch import fnmatch
from importlib.resources import files
from pathlib import Path

import kubernetes_validate
import pytest
import yaml
from dockerfile_parse import DockerfileParser
from jsonschema import Draft202012Validator, validators

from tests.servers import ROOT

DEPLOY = ROOT / "deploy"
KUBERNETES = DEPLOY / "kubernetes"
VERSION = "1.31"  # of Kubernetes
DOCUMENTS = [
    pytest.param(document, id=f"{path.stem}-{document['kind']}")
    for path in sorted(KUBERNETES.glob("*.yaml"))
    for document in yaml.safe_load_all(path.read_text())
]
HEALTH = "/_stcore/health"


def kind(name: str, index: int = 0) -> dict:
    """A resource of Kubernetes by its kind."""
    return [document.values[0] for document in DOCUMENTS if document.values[0]["kind"] == name][index]


def container() -> dict:
    return kind("Deployment")["spec"]["template"]["spec"]["containers"][0]


@pytest.mark.parametrize("document", [d for d in DOCUMENTS if d.values[0]["kind"] != "Kustomization"])
def test_kubernetes_accepts(document):
    kubernetes_validate.validate(document, VERSION, strict=True)


def test_a_mistake_would_be_found():
    broken = kind("Deployment") | {"spec": {"replica": 2}}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(broken, VERSION, strict=True)


def test_kustomization_has_every_manifest_but_the_example():
    resources = set(kind("Kustomization")["resources"])
    there = {path.name for path in KUBERNETES.glob("*.yaml")}
    assert resources == there - {"kustomization.yaml", "cookie-secret.example.yaml"}
    assert kind("Kustomization")["images"][0]["name"] == container()["image"]


def test_the_example_of_a_secret_has_no_value():
    assert not any(kind("Secret")["stringData"].values())
    reference = next(
        variable["valueFrom"]["secretKeyRef"]
        for variable in container()["env"]
        if variable["name"] == "STREAMLIT_SERVER_COOKIE_SECRET"
    )
    assert reference["name"] == kind("Secret")["metadata"]["name"]
    assert reference["key"] in kind("Secret")["stringData"]


def test_selectors_find_the_pods():
    labels = kind("Deployment")["spec"]["template"]["metadata"]["labels"].items()
    assert kind("Deployment")["spec"]["selector"]["matchLabels"].items() <= labels
    assert kind("Service")["spec"]["selector"].items() <= labels
    assert kind("PodDisruptionBudget")["spec"]["selector"]["matchLabels"].items() <= labels
    assert kind("HorizontalPodAutoscaler")["spec"]["scaleTargetRef"]["name"] == kind("Deployment")["metadata"]["name"]


def test_ports_and_probes_lead_to_streamlit():
    ports = {port["name"]: port["containerPort"] for port in container()["ports"]}
    assert ports == {"http": 8501}
    assert kind("Service")["spec"]["ports"][0]["targetPort"] in ports
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        assert container()[probe]["httpGet"] == {"path": HEALTH, "port": "http"}
    for ingress in (kind("Ingress"), kind("Ingress", 1)):
        service = ingress["spec"]["rules"][0]["http"]["paths"][0]["backend"]["service"]
        assert service["name"] == kind("Service")["metadata"]["name"]
        assert service["port"]["name"] == kind("Service")["spec"]["ports"][0]["name"]


def test_pods_have_no_rights():
    pod = kind("Deployment")["spec"]["template"]["spec"]
    assert pod["securityContext"]["runAsNonRoot"]
    assert container()["securityContext"]["readOnlyRootFilesystem"]
    assert container()["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert {mount["mountPath"] for mount in container()["volumeMounts"]} == {"/tmp", "/models"}
    assert pod["securityContext"]["runAsUser"] == int(instructions("USER")[-1])


def test_compose_file_is_valid():
    schema = json.loads((files("check_jsonschema") / "builtin_schemas/vendor/compose-spec.json").read_text())
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    validator = validators.validator_for(schema, Draft202012Validator)(schema)
    assert [error.message for error in validator.iter_errors(compose)] == []
    assert list(validator.iter_errors(compose | {"services": {"walkthrough": {"port": 8501}}}))
    service = compose["services"]["walkthrough"]
    assert (DEPLOY / service["build"]["context"] / service["build"]["dockerfile"]).resolve() == DEPLOY / "Dockerfile"
    assert service["read_only"]
    assert service["ports"] == ["${PORT:-8501}:8501"]


def instructions(name: str) -> list[str]:
    """The values of the instructions of this name in the Dockerfile."""
    parser = DockerfileParser(str(DEPLOY / "Dockerfile"))
    return [each["value"] for each in parser.structure if each["instruction"] == name]


def test_dockerfile_is_valid():
    # DL3008 asks for pinned versions of Debian's packages, which Debian removes with each security update.
    command = [Path(sys.executable).parent / "hadolint", "--ignore", "DL3008", DEPLOY / "Dockerfile"]
    lint = subprocess.run(command, capture_output=True, text=True)
    assert lint.returncode == 0, lint.stdout


_IMPORT_ALL = """
import dashboard, importlib, pkgutil
for module in pkgutil.walk_packages(dashboard.__path__, "dashboard."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
"""


def test_after_the_build_of_the_image_the_app_writes_nothing(tmp_path):
    """Its file system is read-only."""
    copies = [value.split()[:-1] for value in instructions("COPY") if not value.startswith("--from")]
    for source in (ROOT / name for copied in copies for name in copied if name != "static/"):
        if source.is_dir():
            shutil.copytree(source, tmp_path / source.name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, tmp_path)
    build = instructions("RUN")[-1].rpartition("&&")[2]
    environment = {
        "PATH": str(Path(sys.executable).parent),
        "PYTHONPATH": str(tmp_path),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    subprocess.run(build.split(), cwd=tmp_path, env=environment, check=True)
    built = sorted(tmp_path.rglob("*"))
    assert any(path.name.startswith("term_tips-") for path in built)
    subprocess.run([sys.executable, "-c", _IMPORT_ALL], cwd=tmp_path, env=environment, check=True)
    assert sorted(tmp_path.rglob("*")) == built


def test_everything_that_is_copied_exists_and_reaches_the_build():
    first, *kept = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if not line.startswith("#")]
    assert first == "*"
    patterns = [line.removeprefix("!") for line in kept if line.startswith("!")]
    copies = [value.split()[:-1] for value in instructions("COPY") if not value.startswith("--from")]
    sources = [Path(source) for copied in copies for source in copied]
    assert len(sources) >= 10
    for source in sources:
        assert (ROOT / source).exists(), source
        files = [source] if (ROOT / source).is_file() else list((ROOT / source).iterdir())
        kept_files = [file for file in files if _is_kept(Path(file), patterns)]
        assert kept_files, source


def test_image_has_no_rights_and_says_whether_it_is_healthy():
    assert instructions("USER")[-1] != "root"
    assert HEALTH in instructions("HEALTHCHECK")[0]
    assert "deploy.serve" in instructions("CMD")[-1]
    assert not any("requirements-dev" in value for value in instructions("COPY") + instructions("RUN"))


def _is_kept(path: Path, patterns: list[str]) -> bool:
    relative = path.relative_to(ROOT) if path.is_absolute() else path
    return any(fnmatch(str(part), pattern) for part in (relative, *relative.parents) for pattern in patterns)
