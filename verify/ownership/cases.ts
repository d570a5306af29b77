import { exploreOwnership, type OwnershipBounds } from "./exploration.ts";
import { exploreInbox, type InboxBounds } from "./inbox-exploration.ts";
import { INBOX_LAWS, INBOX_PROGRESS } from "./inbox-laws.ts";
import { OWNERSHIP_LAWS, OWNERSHIP_PROGRESS } from "./laws.ts";
import type { SearchLimits, SearchResult } from "./search.ts";

/** An exploration of the workers of one task in a database: of its owners, or of its inbox. */
export type OwnershipCase = { readonly name: string } & (
  | { readonly of: "owners"; readonly bounds: OwnershipBounds }
  | { readonly of: "inbox"; readonly bounds: InboxBounds }
);

interface LawText {
  readonly id: string;
  readonly says: string;
}

/** The laws that each kind of exploration checks. */
export const LAWS_OF: Readonly<Record<OwnershipCase["of"], readonly LawText[]>> = {
  owners: [...OWNERSHIP_LAWS, OWNERSHIP_PROGRESS],
  inbox: [...INBOX_LAWS, ...INBOX_PROGRESS],
};

/** Leases that three workers may lose, one each. */
const THREE = { workers: 3, effects: 1, leaseTicks: 2, losses: 3 } as const;
const TWO = { workers: 2, commands: 2 } as const;

/** The default explorations. Each is complete. */
export const OWNERSHIP_CASES: readonly OwnershipCase[] = [
  {
    name: "two owners that renew their leases, and one is killed",
    of: "owners",
    bounds: { workers: 2, effects: 1, leaseTicks: 3, losses: 0, faults: { kills: 1 } },
  },
  {
    name: "two owners, with a clock that is set forward or back",
    of: "owners",
    bounds: { workers: 2, effects: 1, leaseTicks: 2, losses: 2, faults: { clocks: 1 } },
  },
  {
    name: "three owners, and one is killed",
    of: "owners",
    bounds: { ...THREE, faults: { kills: 1 } },
  },
  {
    name: "three owners, and one is stopped for any time",
    of: "owners",
    bounds: { ...THREE, faults: { stops: 1 } },
  },
  {
    name: "three owners, with a statement whose answer is lost",
    of: "owners",
    bounds: { ...THREE, faults: { cuts: 1 } },
  },
  {
    name: "the inbox of a task, with a worker that is killed",
    of: "inbox",
    bounds: { ...TWO, faults: { kills: 1 } },
  },
  {
    name: "the inbox of a task, with a statement whose answer is lost",
    of: "inbox",
    bounds: { ...TWO, faults: { cuts: 1 } },
  },
  {
    name: "the inbox of a task that keeps its owner, with notifications that are lost",
    of: "inbox",
    bounds: { ...TWO, isBusy: true, faults: { gaps: 1 } },
  },
  {
    name: "the inbox of a task, with a wake, a notification or a put that comes twice",
    of: "inbox",
    bounds: { ...TWO, faults: { duplicates: 1 } },
  },
  {
    name: "the inbox of a task that keeps its owner, whose lease ends",
    of: "inbox",
    bounds: { ...TWO, isBusy: true, faults: { losses: 1 } },
  },
];

/** Run an exploration of owners or of an inbox. */
export const exploreCase = (one: OwnershipCase, limits: SearchLimits): SearchResult =>
  one.of === "owners"
    ? exploreOwnership({ ...one.bounds, ...limits })
    : exploreInbox({ ...one.bounds, ...limits });
