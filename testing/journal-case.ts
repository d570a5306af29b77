import assert from "node:assert/strict";
import type { JournalDriver } from "../ports/journal.ts";
import { JournalError, type JournalErrorCode } from "../store/journal/error.ts";
import { encodeLine } from "../store/journal/line.ts";
import { type JournalTail, readJournal } from "../store/journal/reader.ts";
import { JOURNAL_VERSION, type JournalDraft } from "../wire/journal/record.ts";

/** Factory of the drivers under test. */
export interface DriverUnderTest {
  /** Create a driver for a new journal with this content. Default: empty. */
  make(content?: Uint8Array): Promise<JournalDriver>;
  /** Create another driver for the same journal, like another process. */
  another(driver: JournalDriver): Promise<JournalDriver>;
  /** The bytes that `driver.truncate` saved at this location. */
  backup(driver: JournalDriver, location: string): Promise<Uint8Array>;
  /**
   * End the lease by which this driver owns its journal, as for a process that no longer renews it. Drivers of `another`
   * have other leases. Absent: only a close ends the ownership, and the cases of fencing are left out.
   */
  expire?(driver: JournalDriver): Promise<void>;
}

/** The drivers of one case. */
export class CaseDrivers implements DriverUnderTest {
  readonly #under: DriverUnderTest;
  readonly #made: JournalDriver[] = [];

  constructor(under: DriverUnderTest) {
    this.#under = under;
  }

  async make(content?: Uint8Array): Promise<JournalDriver> {
    return this.#keep(await this.#under.make(content));
  }

  async another(driver: JournalDriver): Promise<JournalDriver> {
    return this.#keep(await this.#under.another(driver));
  }

  backup(driver: JournalDriver, location: string): Promise<Uint8Array> {
    return this.#under.backup(driver, location);
  }

  async expire(driver: JournalDriver): Promise<void> {
    await this.#under.expire?.(driver);
  }

  async run(check: (bench: CaseDrivers) => Promise<void>): Promise<void> {
    try {
      await check(this);
    } finally {
      await Promise.allSettled(this.#made.map((driver) => driver.close()));
    }
  }

  #keep(driver: JournalDriver): JournalDriver {
    this.#made.push(driver);
    return driver;
  }
}

export const header = {
  seq: 0,
  kind: "header",
  version: JOURNAL_VERSION,
  taskId: "t1",
  createdAt: 1,
} as const satisfies JournalDraft;
export const commit = (seq: number, text = `message ${seq}`): JournalDraft => ({
  seq,
  kind: "commit",
  at: seq,
  before: "running",
  after: "running",
  log: [{ type: "message.appended", message: { ts: seq, type: "say", say: "text", text } }],
});
export const lines = (...drafts: readonly JournalDraft[]): string[] => drafts.map(encodeLine);
export const content = (...drafts: readonly JournalDraft[]): Buffer =>
  Buffer.from(
    lines(...drafts)
      .map((line) => `${line}\n`)
      .join(""),
  );

export async function bytesOf(driver: JournalDriver): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of driver.read()) pieces.push(piece);
  return Buffer.concat(pieces);
}

export async function seqsOf(driver: JournalDriver): Promise<number[]> {
  const seqs: number[] = [];
  const tails: JournalTail[] = [];
  for await (const { seq } of readJournal(driver, { onTail: (tail) => tails.push(tail) })) seqs.push(seq);
  assert.deepEqual(tails, [], "the journal's tail is valid");
  return seqs;
}

export async function assertHolds(driver: JournalDriver, expected: Buffer): Promise<void> {
  assert.equal((await bytesOf(driver)).toString(), expected.toString());
}

export async function assertRejects(
  operation: Promise<unknown>,
  code: JournalErrorCode,
  path: string,
): Promise<void> {
  await assert.rejects(operation, (error) => {
    assert.ok(error instanceof JournalError, `expected a JournalError, got ${String(error)}`);
    assert.deepEqual({ code: error.code, path: error.path }, { code, path });
    return true;
  });
}

/** The title and the check of a case. */
export type CheckedCase = readonly [title: string, check: (bench: CaseDrivers) => Promise<void>];
