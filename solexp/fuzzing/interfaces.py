"""Interface identifiers that contracts commonly claim to have (ERC-165)."""

from __future__ import annotations

import functools

from solexp.evm.words import keccak, word

_FUNCTIONS = (
    # ERC-165
    "supportsInterface(bytes4)",
    # ERC-721, its metadata, its enumeration and its receiver
    "balanceOf(address) ownerOf(uint256) approve(address,uint256) getApproved(uint256)"
    " setApprovalForAll(address,bool) isApprovedForAll(address,address)"
    " transferFrom(address,address,uint256) safeTransferFrom(address,address,uint256)"
    " safeTransferFrom(address,address,uint256,bytes)",
    "name() symbol() tokenURI(uint256)",
    "totalSupply() tokenOfOwnerByIndex(address,uint256) tokenByIndex(uint256)",
    "onERC721Received(address,address,uint256,bytes)",
    # ERC-1155, its metadata and its receiver
    "safeTransferFrom(address,address,uint256,uint256,bytes)"
    " safeBatchTransferFrom(address,address,uint256[],uint256[],bytes) balanceOf(address,uint256)"
    " balanceOfBatch(address[],uint256[]) setApprovalForAll(address,bool)"
    " isApprovedForAll(address,address)",
    "uri(uint256)",
    "onERC1155Received(address,address,uint256,uint256,bytes)"
    " onERC1155BatchReceived(address,address,uint256[],uint256[],bytes)",
    # ERC-20, and its metadata
    "totalSupply() balanceOf(address) transfer(address,uint256) transferFrom(address,address,uint256)"
    " approve(address,uint256) allowance(address,address)",
    "name() symbol() decimals()",
    # ERC-2981, ERC-173, ERC-1271, ERC-2612's permit, ERC-4494's, ERC-4907, ERC-5192
    "royaltyInfo(uint256,uint256)",
    "owner() transferOwnership(address)",
    "isValidSignature(bytes32,bytes)",
    "permit(address,address,uint256,uint256,uint8,bytes32,bytes32) nonces(address) DOMAIN_SEPARATOR()",
    "permit(address,uint256,uint256,bytes) nonces(uint256) DOMAIN_SEPARATOR()",
    "setUser(uint256,address,uint64) userOf(uint256) userExpires(uint256)",
    "locked(uint256)",
    # Access control by roles, one by one and enumerated
    "hasRole(bytes32,address) getRoleAdmin(bytes32) grantRole(bytes32,address)"
    " revokeRole(bytes32,address) renounceRole(bytes32,address)",
    "getRoleMember(bytes32,uint256) getRoleMemberCount(bytes32)",
)
_FIXED = ("ffffffff", "00000000", "49064906")
"""What ERC-165 says is never claimed, nothing, and ERC-4906, which has no functions."""


@functools.cache
def interface_ids() -> tuple[bytes, ...]:
    """Identifiers, four bytes each: all selectors of an interface, XORed."""
    found = [bytes.fromhex(each) for each in _FIXED]
    for functions in _FUNCTIONS:
        made = 0
        for signature in functions.split():
            made ^= int(word(keccak(signature.encode()))[:8], 16)
        found.append(made.to_bytes(4, "big"))
    return tuple(dict.fromkeys(found))
