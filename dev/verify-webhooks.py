"""Verifies webhooks by code that is not ours; dev/verify-webhooks.ts sends them here as lines of JSON.

Each line: {"name", "headers", "body", "secrets": [...], "publicKeys": [...], "wrong": [...]}.
Every one of `secrets` (v1, by the library standardwebhooks) and of `publicKeys` (v1a, by cryptography) must verify;
none of `wrong` may, and neither may a changed body. Needs: pip install standardwebhooks cryptography
"""

import base64
import json
import sys

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from standardwebhooks import Webhook, WebhookVerificationError


def verifies_secret(secret, headers, body):
    try:
        Webhook(secret).verify(body, headers)
        return True
    except WebhookVerificationError:
        return False


def verifies_key(public_key, headers, body):
    assert public_key.startswith("whpk_"), public_key
    key = Ed25519PublicKey.from_public_bytes(base64.b64decode(public_key[len("whpk_") :]))
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.{body}".encode()
    for signature in headers["webhook-signature"].split(" "):
        version, _, value = signature.partition(",")
        if version != "v1a":
            continue
        try:
            key.verify(base64.b64decode(value), signed)
            return True
        except InvalidSignature:
            pass
    return False


def verifies(key, headers, body):
    return (verifies_key if key.startswith("whpk_") else verifies_secret)(key, headers, body)


failures = 0
for line in sys.stdin:
    case = json.loads(line)
    headers, body = case["headers"], case["body"]
    right = case["secrets"] + case["publicKeys"]
    results = [(True, verifies(key, headers, body)) for key in right]
    results += [(False, verifies(key, headers, body)) for key in case["wrong"]]
    results += [(False, verifies(key, headers, body + " ")) for key in right]
    bad = sum(expected != found for expected, found in results)
    failures += bad
    print(f"{case['name']}: {len(results) - bad} of {len(results)} as they should be")
sys.exit(1 if failures else 0)
