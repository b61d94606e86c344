"""What the release does not say of the verified builds, read off the creation code on the chain.

With these, and up to the hash in its metadata, every reference compiles to the recorded code but one: PortalToken was
built by a nightly of 0.4.22 that still made the code of 0.4.21.
"""

from __future__ import annotations

LIBRARIES: dict[str, dict[str, str]] = {
    "ElementixExchange_0x74d8e56924909731d0e65f954fc439fa04634a61": {
        "ExchangeCoreLogic": "0x0a777544c3ee5c21a49512d67929c664554ed3ed"
    },
    "Presale_0x398acb6594866bc7ac3a23e925b2fc3727c19828": {
        "Limits": "0xf446b831f4ebcc8777375592ba9f03124401f2e8"
    },
    "UnicodeForGeeks_0x265385c7f4132228a0d54eb1a9e7460b91c0cc68": {
        "UnicodeMap": "0xfab7e2fb81b083f49fd7089ef3db68e8bbad1263"
    },
}
"""Addresses that the code was linked with, by library name, by task.

`solexp.benchmarks.solcontracteval.creation.linked_addresses` reads them off.
"""

EVM_VERSIONS: dict[str, str] = {
    "ElementixExchange_0x74d8e56924909731d0e65f954fc439fa04634a61": "byzantium"
}
"""EVM versions other than the compiler's default, by task."""
