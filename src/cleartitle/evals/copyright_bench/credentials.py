"""Content credentials (C2PA): a notice as a signed manifest, written last, as any later change breaks the signature.

The certificate is made for each signer and trusted by nobody: a reader finds a valid signature of an unknown signer.
"""

import io
import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from cleartitle import __version__
from cleartitle.errors import InputError, require
from cleartitle.files import atomic_path

__all__ = ["Signer", "has_credentials", "read_credentials"]

NAME = "Cleartitle test fixtures"
CREATION = "http://cv.iptc.org/newscodes/digitalsourcetype/digitalCreation"


class Signer:
    """Signs JPEG files with a key and a certificate chain of its own.

    Raises:
        MissingExtraError: the extra ``credentials`` is not installed.
    """

    def __init__(self) -> None:
        self._c2pa = require("c2pa", "credentials")
        chain, key = _certificates()
        about = self._c2pa.C2paSignerInfo(alg=b"es256", sign_cert=chain, private_key=key, ta_url=None)
        self._signer = self._c2pa.Signer.from_info(about)

    def sign(self, data: bytes, words: Mapping[str, str]) -> bytes:
        """A JPEG file with the notice ``words`` (see `rights.Notices`) as a manifest."""
        work = {"@context": "https://schema.org", "@type": "CreativeWork"}
        work |= {"copyrightNotice": words["notice"], "usageInfo": words["terms"], "license": words["statement"]}
        actions = [{"action": "c2pa.created", "digitalSourceType": CREATION}]
        manifest = {
            "claim_generator_info": [{"name": "cleartitle", "version": __version__}],
            "assertions": [
                {"label": "c2pa.actions.v2", "data": {"actions": actions}},
                {"label": "stds.schema-org.CreativeWork", "data": work},
            ],
        }
        signed = io.BytesIO()
        self._c2pa.Builder(json.dumps(manifest)).sign(self._signer, "image/jpeg", io.BytesIO(data), signed)
        return signed.getvalue()

    def sign_folder(self, folder: Path, words: Mapping[str, str]) -> None:
        """Sign every JPEG file of a folder in its place."""
        for path in sorted(folder.glob("*.jpg")):
            with atomic_path(path) as partial:
                partial.write_bytes(self.sign(path.read_bytes(), words))


def has_credentials(data: bytes) -> bool:
    """Whether a file holds a C2PA manifest: looks for its box, does not check it, and needs no package."""
    return b"jumb" in data and b"c2pa" in data


def read_credentials(data: bytes) -> dict[str, str]:
    """What the active manifest of a JPEG file says, and whether its signature holds; empty without a manifest.

    ``state`` is ``Valid`` or ``Trusted`` where the signature fits the file, ``Invalid`` where either was changed.

    Raises:
        InputError: the manifest cannot be read.
        MissingExtraError: the extra ``credentials`` is not installed.
    """
    if not has_credentials(data):
        return {}
    c2pa = require("c2pa", "credentials")
    try:
        with c2pa.Reader("image/jpeg", io.BytesIO(data)) as reader:
            found: dict[str, Any] = json.loads(reader.json())
        manifest = found["manifests"][found["active_manifest"]]
        works = [one["data"] for one in manifest["assertions"] if "CreativeWork" in one["label"]]
        signed = manifest["signature_info"]
    except (c2pa.C2paError, KeyError, TypeError, ValueError) as error:
        raise InputError(f"the content credentials cannot be read ({type(error).__name__})") from None
    words = {name: str(value) for work in works for name, value in work.items() if not name.startswith("@")}
    return {**words, "signed by": str(signed.get("common_name")), "state": str(found.get("validation_state"))}


def _certificates() -> tuple[bytes, bytes]:
    """A chain of two P-256 certificates in PEM, and the key of the first; C2PA asks for a leaf that is no authority."""
    x509 = require("cryptography.x509", "credentials")
    oid = require("cryptography.x509.oid", "credentials")
    hazmat = require("cryptography.hazmat.primitives.hashes", "credentials")
    curves = require("cryptography.hazmat.primitives.asymmetric.ec", "credentials")
    forms = require("cryptography.hazmat.primitives.serialization", "credentials")

    def named(name: str) -> Any:
        pairs = ((oid.NameOID.ORGANIZATION_NAME, NAME), (oid.NameOID.COMMON_NAME, name))
        return x509.Name([x509.NameAttribute(*pair) for pair in pairs])

    def certificate(name: str, key: Any, issuer: Any, usages: set[str], authority: bool) -> Any:
        now = datetime.now(UTC)
        every = (
            "digital_signature",
            "content_commitment",
            "key_encipherment",
            "data_encipherment",
            "key_agreement",
            "key_cert_sign",
            "crl_sign",
            "encipher_only",
            "decipher_only",
        )
        made = x509.CertificateBuilder().subject_name(named(name)).issuer_name(named("authority"))
        made = made.public_key(key.public_key()).serial_number(x509.random_serial_number())
        made = made.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=3650))
        made = made.add_extension(x509.BasicConstraints(authority, None), True)
        made = made.add_extension(x509.KeyUsage(**{usage: usage in usages for usage in every}), True)
        made = made.add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False)
        if not authority:
            made = made.add_extension(x509.ExtendedKeyUsage([oid.ExtendedKeyUsageOID.EMAIL_PROTECTION]), False)
            from_issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer.public_key())
            made = made.add_extension(from_issuer, False)
        return made.sign(issuer, hazmat.SHA256())

    root, key = (curves.generate_private_key(curves.SECP256R1()) for _ in range(2))
    authority = certificate("authority", root, root, {"key_cert_sign", "crl_sign"}, True)
    leaf = certificate("signer", key, root, {"digital_signature"}, False)
    chain = b"".join(one.public_bytes(forms.Encoding.PEM) for one in (leaf, authority))
    secret = key.private_bytes(forms.Encoding.PEM, forms.PrivateFormat.PKCS8, forms.NoEncryption())
    return chain, secret
