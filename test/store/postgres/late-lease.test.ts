import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { HeldLease, Leases } from "../../../ports/ownership.ts";
import { hasPostgres } from "../../support/postgres.ts";
import { commit, contentOf, contentWith, header, lines } from "../../testing/conformance.ts";
import { PostgresRig } from "./rig.ts";

/** Leases of registered workers. The test ends the current one. */
class ChosenLeases implements Leases {
  readonly #register: () => Promise<string>;
  #current: { readonly lease: HeldLease; readonly end: () => void } | undefined;

  constructor(register: () => Promise<string>) {
    this.#register = register;
  }

  async held(): Promise<HeldLease> {
    if (this.#current?.lease.holds() !== true) this.#current = leaseOf(await this.#register());
    return this.#current.lease;
  }

  async end(): Promise<void> {}

  /** Let the deadline pass after the check before the next append. No timer fires. */
  passDeadline(): void {
    this.#current?.end();
  }
}

function leaseOf(worker: string): { readonly lease: HeldLease; readonly end: () => void } {
  const lost = new AbortController();
  let checks = Number.POSITIVE_INFINITY;
  const holds = (): boolean => {
    checks -= 1;
    if (checks < 0) lost.abort();
    return checks >= 0;
  };
  return {
    lease: { worker, holds, lost: lost.signal },
    end: () => {
      checks = 1;
    },
  };
}

describe.skipIf(!hasPostgres)("a journal in PostgreSQL whose lease ends during an append", () => {
  let rig: PostgresRig;
  beforeAll(async () => {
    rig = await PostgresRig.start();
  });
  afterAll(() => rig.remove());

  test("L11: notifies the listener before the append resolves, and has each line once after the next one", async () => {
    const leases = new ChosenLeases(() => rig.register());
    const task = rig.newTask();
    const driver = rig.journalOf(task, leases);
    await driver.append(lines(header), { first: true });
    const events: string[] = [];
    driver.onLost?.(({ message }) => events.push(message));
    const appended = driver.append(lines(commit(1))).then(() => events.push("appended"));
    leases.passDeadline();
    await appended;
    expect(events).toEqual([expect.stringContaining("did not renew it in time"), "appended"]);
    // The database declares the old worker dead when the lease has ended by its clock.
    await rig.expire(task);
    await driver.append(lines(commit(2)));
    expect(String(await contentOf(driver))).toBe(String(contentWith(header, commit(1), commit(2))));
    await driver.close();
  });
});
