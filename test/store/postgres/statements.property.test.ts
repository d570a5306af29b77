import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { JournalError } from "../../../store/journal/error.ts";
import { Database } from "../../../store/postgres/database.ts";
import { leaseStatements } from "../../../store/postgres/lease-statements.ts";
import { OwnedLines } from "../../../store/postgres/owned-lines.ts";
import { Ownership } from "../../../store/postgres/ownership.ts";
import { tablesIn } from "../../../store/postgres/tables.ts";
import {
  type Answer,
  type EffectRecord,
  EMPTY_DATABASE,
  execute,
  type Database as Model,
  type Statement,
} from "../../../verify/ownership/database.ts";
import { hasPostgres, LONG_LEASE_MS } from "../../support/postgres.ts";
import { PostgresRig } from "./rig.ts";

const SCHEMA = "signalbox";
const LEASE_TICKS = 4;
const RECORD: EffectRecord = { kind: "start", effect: 0 };
/** A line of a record, with its newline. All have this length. */
const LINE = "{}\n";

/** A statement by one of two workers, or a lease that ends. `epoch` and `from` are relative to the present ones. */
type Choice =
  | { readonly type: "register"; readonly worker: number }
  | { readonly type: "expire"; readonly worker: number }
  | { readonly type: "renew" | "end" | "claim"; readonly worker: number }
  | {
      readonly type: "append";
      readonly worker: number;
      readonly epoch: number;
      readonly from: number;
      readonly count: number;
    }
  | { readonly type: "release"; readonly worker: number; readonly epoch: number };

type StatementChoice = Exclude<Choice, { readonly type: "register" | "expire" }>;

const worker = fc.nat({ max: 1 });
/** Mostly 0: a stale owner is rarer than the owner. */
const difference = fc.oneof(
  { weight: 4, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.constantFrom(-1, 1) },
);
/** No writer knows more than the database has. */
const past = fc.oneof(
  { weight: 4, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.constantFrom(-1, -2) },
);
const choice: fc.Arbitrary<Choice> = fc.oneof(
  fc.record({ type: fc.constantFrom("register", "expire"), worker }),
  fc.record({ type: fc.constantFrom("renew", "end"), worker }),
  { weight: 3, arbitrary: fc.record({ type: fc.constant("claim"), worker }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant("append"),
      worker,
      epoch: past,
      from: past,
      count: fc.integer({ min: 1, max: 2 }),
    }),
  },
  fc.record({ type: fc.constant("release"), worker, epoch: difference }),
);

/** The model and one task in the database, which get the same statements. */
class Pair {
  readonly #rig: PostgresRig;
  readonly #ownership: Ownership;
  readonly #lines: OwnedLines;
  readonly #leases: ReturnType<typeof leaseStatements>;
  readonly #task: string;
  /** The newest registration of each worker: its name in the model, which is its row's id. */
  readonly #ids: (string | undefined)[] = [undefined, undefined];
  #model: Model = EMPTY_DATABASE;

  constructor(rig: PostgresRig, database: Database) {
    const tables = tablesIn(SCHEMA);
    this.#rig = rig;
    this.#task = rig.newTask();
    this.#ownership = new Ownership(database, tables);
    this.#lines = new OwnedLines(database, tables, this.#ownership);
    this.#leases = leaseStatements(database, tables, LONG_LEASE_MS);
  }

  async begin(): Promise<void> {
    await this.#rig.admin.query(`INSERT INTO ${SCHEMA}.task (id) VALUES ($1)`, [this.#task]);
  }

  /** Execute a choice in both. Returns both answers. */
  async step(choice: Choice): Promise<readonly [model: string, database: string]> {
    if (choice.type === "register") {
      const id = await this.#leases.register();
      this.#ids[choice.worker] = id;
      return [this.#execute({ type: "register", worker: id }).type, "registered"];
    }
    const id = this.#ids[choice.worker];
    if (id === undefined) return ["none", "none"];
    if (choice.type === "expire") {
      await this.#expire(id);
      return ["expired", "expired"];
    }
    const statement = this.#statement(choice, id);
    // A worker does not claim after its own lease has ended: the database refuses it, and the model does not know.
    if (statement.type === "claim" && this.#isOver(id)) return ["none", "none"];
    return [this.#execute(statement).type, await this.#send(statement)];
  }

  /** Epoch, owner and number of records in both. */
  async states(): Promise<readonly [model: object, database: object]> {
    const { rows } = await this.#rig.admin.query(
      `SELECT epoch::int, owner, coalesce(sum(octet_length(content)), 0)::int AS bytes,
          count(content) FILTER (WHERE octet_length(content) > 0)::int AS records
        FROM ${SCHEMA}.task LEFT JOIN ${SCHEMA}.record ON task = id WHERE id = $1 GROUP BY epoch, owner`,
      [this.#task],
    );
    const { epoch, owner = null, records } = this.#model;
    return [{ epoch, owner, bytes: records.length * LINE.length, records: records.length }, rows[0]];
  }

  #statement(choice: StatementChoice, id: string): Statement {
    const { epoch, records } = this.#model;
    if (choice.type === "append")
      return {
        type: "append",
        worker: id,
        epoch: Math.max(0, epoch + choice.epoch),
        from: Math.max(0, records.length + choice.from),
        records: Array.from({ length: choice.count }, () => RECORD),
      };
    if (choice.type === "release") return { type: "release", worker: id, epoch: epoch + choice.epoch };
    return { type: choice.type, worker: id };
  }

  #execute(statement: Statement): Answer {
    const { database, answer } = execute(this.#model, statement, LEASE_TICKS);
    this.#model = database;
    return answer;
  }

  async #send(statement: Statement): Promise<string> {
    const address = { task: this.#task, path: this.#task };
    switch (statement.type) {
      case "renew":
        return this.#leases.renew(statement.worker);
      case "end":
        await this.#leases.end(statement.worker);
        return "ended";
      case "claim":
        return answerOf(this.#ownership.claim(address, statement.worker), "claimed", "refused");
      case "append": {
        const { worker, epoch, from, records } = statement;
        const owned = { worker, epoch, next: epoch + from, bytes: from * LINE.length };
        const content = Buffer.from(LINE.repeat(records.length));
        return answerOf(this.#lines.append(address, owned, content), "appended", "fenced");
      }
      case "release":
        await this.#ownership.release(this.#task, statement.worker, statement.epoch);
        return "released";
      default:
        throw new Error(`Expected no ${statement.type}.`);
    }
  }

  async #expire(id: string): Promise<void> {
    await this.#rig.admin.query(
      `UPDATE ${SCHEMA}.worker SET lease_until = clock_timestamp() - interval '1 second' WHERE id = $1`,
      [id],
    );
    const workers = this.#model.workers.map((row) => (row.id === id ? { ...row, left: 0 } : row));
    this.#model = { ...this.#model, workers };
  }

  #isOver(id: string): boolean {
    return this.#model.workers.some((row) => row.id === id && row.left === 0 && !row.isDead);
  }
}

/** The answer of a statement that resolves, or is refused by the fence. */
async function answerOf(sent: Promise<unknown>, done: string, locked: string): Promise<string> {
  try {
    await sent;
    return done;
  } catch (error) {
    if (!(error instanceof JournalError)) throw error;
    return error.code === "JOURNAL_LOCKED" ? locked : "changed";
  }
}

describe.skipIf(!hasPostgres)("the statements of PostgreSQL", () => {
  let rig: PostgresRig;
  let database: Database;
  beforeAll(async () => {
    rig = await PostgresRig.start();
    database = await Database.open({ url: rig.cluster.url() });
  });
  afterAll(async () => {
    await database.close();
    await rig.remove();
  });

  it("FENCE: answer as the explored model of a database does, in any order", async () => {
    const property = fc.asyncProperty(fc.array(choice, { minLength: 10, maxLength: 40 }), async (choices) => {
      const pair = new Pair(rig, database);
      await pair.begin();
      for (const each of choices) {
        const [model, answer] = await pair.step(each);
        expect(answer, JSON.stringify(each)).toBe(model);
        const [expected, found] = await pair.states();
        expect(found, JSON.stringify(each)).toEqual(expected);
      }
    });
    await fc.assert(property, { numRuns: 60 });
  });
});
