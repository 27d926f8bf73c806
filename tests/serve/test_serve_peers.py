"""The service before programs that are not ours: a validator of OpenAPI, and a fuzzer that reads its document."""

import shutil
import subprocess
from pathlib import Path

import pytest
from serving import Service

FUZZER = shutil.which("schemathesis")
VALIDATOR = shutil.which("openapi-spec-validator")
TOKEN = "correct-horse-battery-staple"


@pytest.mark.skipif(VALIDATOR is None, reason="openapi-spec-validator is not on the path")
def test_the_document_is_valid_openapi(service: Service, tmp_path: Path) -> None:
    (tmp_path / "openapi.json").write_bytes(service.ask("GET", "/openapi.json")[2])
    done = subprocess.run([VALIDATOR, str(tmp_path / "openapi.json")], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and "OK" in done.stdout, done.stdout


@pytest.mark.skipif(FUZZER is None, reason="schemathesis is not on the path")
@pytest.mark.parametrize("with_token", [False, True])
def test_the_service_does_what_its_document_says(served_index: Path, tmp_path: Path, with_token: bool) -> None:
    (tmp_path / "token").write_text(TOKEN)
    service = Service(served_index, *(("--token-file", str(tmp_path / "token")) if with_token else ()))
    header = ["--header", f"Authorization: Bearer {TOKEN}"] if with_token else []
    command = [
        FUZZER,
        "run",
        f"{service.address}openapi.json",
        "--checks",
        "all",
        "--max-examples",
        "60",
        "--seed",
        "0",
    ]
    try:
        done = subprocess.run([*command, *header], capture_output=True, text=True, timeout=300, cwd=tmp_path)
        assert done.returncode == 0 and "No issues found" in done.stdout, done.stdout
        assert not service.events("fault")
    finally:
        assert service.end() == 0
    asked = {line["status"] for line in service.events("request") if line["route"] == "/v1/trace"}
    assert {200, 405, 415, 422} <= asked and 500 not in asked and (401 in asked) == with_token
