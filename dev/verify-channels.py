"""Verifies pushes and signatures of callbacks by code that is not ours; dev/verify-channels.ts sends them here as JSON.

Each line is {"kind": "push", ...}: its body must decrypt (http-ece, RFC 8188 and 8291) to the payload, and its token must
be signed by the site's key for the push service (cryptography, RFC 8292); or {"kind": "twilio", ...}: the signature must
be the one that Twilio's own library makes and accepts, and no other. Needs: pip install http-ece cryptography twilio
"""

import base64
import json
import sys
import time

import http_ece
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from twilio.request_validator import RequestValidator


def unbase64(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def private_key(text):
    return ec.derive_private_key(int.from_bytes(unbase64(text), "big"), ec.SECP256R1())


def decrypts(case):
    body = unbase64(case["body"])
    found = http_ece.decrypt(
        body, private_key=private_key(case["privateKey"]), auth_secret=unbase64(case["auth"]), version="aes128gcm"
    )
    return found == unbase64(case["payload"])


def is_signed(case, public_key):
    if "authorization" not in case:
        return True
    scheme, _, rest = case["authorization"].partition(" ")
    parts = dict(part.strip().split("=", 1) for part in rest.split(","))
    if scheme != "vapid" or parts["k"] != public_key:
        return False
    header, claims, signature = parts["t"].split(".")
    raw = unbase64(signature)
    der = encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
    key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), unbase64(public_key))
    try:
        key.verify(der, f"{header}.{claims}".encode(), ec.ECDSA(hashes.SHA256()))
    except InvalidSignature:
        return False
    said = json.loads(unbase64(claims))
    # A token is valid for 24 hours at most (RFC 8292 section 2).
    in_time = time.time() < said["exp"] <= time.time() + 86_400
    return json.loads(unbase64(header))["alg"] == "ES256" and in_time and said["aud"] == case["audience"] and said["sub"] == case["subject"]


def check(case):
    if case["kind"] == "push":
        yield True, decrypts(case)
        if "publicKey" in case:
            yield True, is_signed(case, case["publicKey"])
            yield False, is_signed(case, case["otherKey"])
        return
    validator = RequestValidator(case["token"])
    url, params, signature = case["url"], case["params"], case["signature"]
    yield True, validator.compute_signature(url, params) == signature
    yield True, validator.validate(url, params, signature)
    yield False, RequestValidator(case["token"] + "x").validate(url, params, signature)
    yield False, validator.validate(url, {**params, "Body": "changed"}, signature)


totals = {}
for line in sys.stdin:
    case = json.loads(line)
    good, all_ = totals.get(case["kind"], (0, 0))
    results = list(check(case))
    totals[case["kind"]] = (good + sum(a == b for a, b in results), all_ + len(results))
for kind, (good, all_) in totals.items():
    print(f"{kind}: {good} of {all_} as they should be")
sys.exit(0 if totals and all(good == all_ for good, all_ in totals.values()) else 1)
