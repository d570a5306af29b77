import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { z } from "zod";
import type { OwnerAddress } from "../../ports/owners.ts";
import type { LeaseStatements } from "../../ports/ownership.ts";
import type { Statements } from "./database.ts";
import { forgetRelease, releasingRenewal } from "./lost-releases.ts";
import type { Tables } from "./tables.ts";

/** The process of a worker, for messages, and its address for those that look for the owner of a task. */
export const workerDescription = z.object({
  pid: z.int(),
  host: z.string(),
  /** Time of its registration, in ms since the epoch. */
  since: z.number(),
  address: z.object({ url: z.string(), token: z.string() }).exactOptional(),
});

/** Create the statements that keep leases of `leaseMs`. They reject with the errors of the driver. */
export function leaseStatements(
  statements: Statements,
  tables: Tables,
  leaseMs: number,
  addressOf: () => OwnerAddress | undefined = () => undefined,
): LeaseStatements {
  const { worker } = tables;
  const until = (value: string): string => `clock_timestamp() + ${value}::float8 * interval '1 millisecond'`;
  return {
    async register() {
      const id = randomUUID();
      const address = addressOf();
      const here = { pid: process.pid, host: hostname(), since: Date.now() };
      const description = { ...here, ...(address !== undefined && { address }) };
      await statements.query(
        `INSERT INTO ${worker} (id, description, lease_until) VALUES ($1, $2, ${until("$3")})`,
        [id, description satisfies z.input<typeof workerDescription>, leaseMs],
      );
      return id;
    },
    async renew(id) {
      const text = `UPDATE ${worker} SET lease_until = ${until("$2")} WHERE id = $1 AND dead_at IS NULL`;
      const values = [id, leaseMs];
      const releasing = releasingRenewal(tables, text, id, values);
      if (releasing === undefined)
        return (await statements.query(text, values)).rowCount === 1 ? "renewed" : "expired";
      const result = await statements.query(releasing.text, [...releasing.values]);
      if (releasing.note(result)) return "renewed";
      // A worker that was declared dead keeps nobody from its tasks.
      forgetRelease(id);
      return "expired";
    },
    async end(id) {
      forgetRelease(id);
      await statements.query(
        `UPDATE ${worker} SET dead_at = clock_timestamp() WHERE id = $1 AND dead_at IS NULL`,
        [id],
      );
    },
  };
}
