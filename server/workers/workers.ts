import type { Inbox } from "../../ports/inbox.ts";
import type { TaskOwners } from "../../ports/owners.ts";
import type { TaskPools } from "../../ports/pools.ts";
import type { Wakes } from "../../ports/wakes.ts";

/** Workers that run the tasks, in a database that they share with this server. */
export interface ServedWorkers {
  readonly owners: TaskOwners;
  readonly inbox: Inbox;
  readonly wakes: Pick<Wakes, "wake">;
  readonly pools: TaskPools;
  /** The pool of new tasks for which none is chosen. Default: `default`. */
  readonly pool?: string;
}
