import { z } from "zod";
import type { OwnerAddress, TaskOwners } from "../../ports/owners.ts";
import type { TaskChannel } from "./channel.ts";
import { type Database, rowOf } from "./database.ts";
import { workerDescription } from "./lease-statements.ts";
import type { Tables } from "./tables.ts";

export interface PostgresOwnersOptions {
  readonly database: Database;
  readonly tables: Tables;
  readonly channel: TaskChannel;
}

const DescriptionRow = z.object({ description: workerDescription });
const LIVES = "w.dead_at IS NULL AND w.lease_until > clock_timestamp()";

/** The owners of tasks, as their leases say. Each method rejects with PostgresError `DATABASE_FAILED`. */
export class PostgresOwners implements TaskOwners {
  readonly #options: PostgresOwnersOptions;
  /** The address of this process, for leases that begin. */
  #address: OwnerAddress | undefined;

  constructor(options: PostgresOwnersOptions) {
    this.#options = options;
  }

  get address(): OwnerAddress | undefined {
    return this.#address;
  }

  serveAt(address: OwnerAddress): void {
    this.#address = address;
  }

  async ownerOf(taskId: string): Promise<OwnerAddress | undefined> {
    const { task, worker } = this.#options.tables;
    const found = await this.#options.database.statement(
      `SELECT w.description FROM ${task} t JOIN ${worker} w ON w.id = t.owner WHERE t.id = $1 AND ${LIVES}`,
      [taskId],
    );
    return rowOf(DescriptionRow, found)?.description.address;
  }

  async all(): Promise<readonly OwnerAddress[]> {
    const { rows } = await this.#options.database.statement(
      `SELECT w.description FROM ${this.#options.tables.worker} w WHERE ${LIVES}`,
      [],
    );
    return rows.flatMap((row) => DescriptionRow.parse(row).description.address ?? []);
  }

  announce(taskId: string): Promise<void> {
    return this.#options.channel.tell("opened", taskId);
  }

  watch(listener: Parameters<TaskOwners["watch"]>[0]): () => void {
    return this.#options.channel.watch({
      onNews: (news, taskId) => {
        if (news === "opened") listener.onOpened(taskId);
      },
      onGap: () => listener.onGap(),
    });
  }
}
