"""One script a task: what its actors do."""

from __future__ import annotations

from collections.abc import Callable

from solexp.benchmarks.starter.history.scenes import (
    auction,
    bank,
    berths,
    council,
    defi,
    desk,
    erc20,
    erc721,
    escrow,
    ferry,
    guild,
    market,
    mill,
    others,
    quarry,
    satchel,
    vault,
    vine,
)
from solexp.benchmarks.starter.history.stage import Stage

SCENES: dict[str, Callable[[Stage], None]] = {
    "BadgeCollection": erc721.badge_collection,
    "BerthRegistry": berths.berth_registry,
    "CrewToken": erc20.crew_token,
    "CurioMarket": market.curio_market,
    "FerryBridge": ferry.ferry_bridge,
    "FreightEscrow": escrow.freight_escrow,
    "GatePass": erc721.gate_pass,
    "GazetteDesk": desk.gazette_desk,
    "GuildHall": guild.guild_hall,
    "HarborToken": erc20.harbor_token,
    "HouseholdWallet": others.household_wallet,
    "InitVault": vault.init_vault,
    "KilnBank": bank.kiln_bank,
    "LagoonExchange": defi.lagoon_exchange,
    "MillPool": mill.mill_pool,
    "OrchardPool": defi.orchard_pool,
    "QuarryToken": quarry.quarry_token,
    "RefundableSale": others.refundable_sale,
    "RelicSatchel": satchel.relic_satchel,
    "RiverCouncil": council.river_council,
    "ShareVault": defi.share_vault,
    "TideAuction": auction.tide_auction,
    "TollToken": erc20.toll_token,
    "VineWallet": vine.vine_wallet,
}
