import type { Database, WorkerRow } from "./database.ts";
import type { Faults, Worker, World } from "./world.ts";

/** An order of workers: the present index of each. */
type Order = readonly number[];

/** The names of workers, as they begin the ids of their leases. */
const NAMES = /"w(\d+)\./g;

/**
 * The keys of worlds. Two worlds have the same key exactly if they differ only in the names of their workers: of all orders
 * of the workers, the key has the one with the smallest text. Workers take the same steps whatever their names are, so one
 * of both worlds is enough.
 */
export class WorldKeys {
  readonly #isReduced: boolean;
  /** A number for each distinct text. */
  readonly #numbers = new Map<string, number>();
  /** The texts of parts of worlds, which many worlds share, by the order of workers. */
  readonly #parts = new WeakMap<object, Map<string, number>>();

  readonly #workers = new SharedParts<Worker>();
  readonly #rows = new SharedParts<WorkerRow>();
  readonly #records = new SharedParts<Database["records"]>();
  readonly #faults = new SharedParts<Faults>();

  /** @param isReduced Whether worlds that differ only in names have the same key. */
  constructor(isReduced: boolean) {
    this.#isReduced = isReduced;
  }

  /** The same world of parts that it shares with other worlds: each distinct part is one object. */
  shared({ workers, database, ...world }: World): World {
    return {
      ...world,
      workers: workers.map((worker) => this.#workers.shared(worker)),
      database: {
        ...database,
        records: this.#records.shared(database.records),
        workers: database.workers.map((row) => this.#rows.shared(row)),
      },
      faults: this.#faults.shared(world.faults),
    };
  }

  /** @param turn The worker whose turn it is, if the key depends on it. */
  keyOf(world: World, turn?: number): string {
    const indexes = [...world.workers.keys()];
    const orders = this.#isReduced ? this.#orders(world) : [indexes];
    let smallest: string | undefined;
    for (const order of orders) {
      const text = `${turn === undefined ? "" : order.indexOf(turn)} ${this.#text(world, order)}`;
      if (smallest === undefined || text < smallest) smallest = text;
    }
    return smallest ?? "";
  }

  /** The orders in which the workers are sorted by what does not depend on names. */
  #orders({ workers }: World): readonly Order[] {
    const kinds = workers.map((worker) => this.#numberOf(worker, []));
    const sorted = [...kinds.keys()].toSorted((one, other) => (kinds[one] ?? 0) - (kinds[other] ?? 0));
    let orders: readonly Order[] = [[]];
    for (const at of sorted.keys())
      orders = orders.flatMap((order) =>
        sorted
          .filter((index) => kinds[index] === kinds[sorted[at] ?? 0] && !order.includes(index))
          .map((index) => [...order, index]),
      );
    return orders;
  }

  #text({ workers, database, ...world }: World, order: Order): string {
    const { owner } = database;
    return [
      ...order.map((index) => this.#numberOf(workers[index] ?? {}, order)),
      this.#numberOf(database.records, order),
      database.epoch,
      owner === undefined ? "" : named(JSON.stringify(owner), order),
      this.#numberOf(world.faults, order),
      world.acknowledged,
      world.wrong === undefined ? "" : JSON.stringify(world.wrong),
      ...database.workers.map((row) => this.#numberOf(row, order)).toSorted((one, other) => one - other),
    ].join();
  }

  /** The number of the text of a part. In the empty order, workers have no names. */
  #numberOf(part: object, order: Order): number {
    const code = order.join();
    let numbers = this.#parts.get(part);
    if (numbers === undefined) {
      numbers = new Map();
      this.#parts.set(part, numbers);
    }
    const known = numbers.get(code);
    if (known !== undefined) return known;
    const text = named(JSON.stringify(part), order);
    const number = this.#numbers.get(text) ?? this.#numbers.size;
    this.#numbers.set(text, number);
    numbers.set(code, number);
    return number;
  }
}

/** Parts of one kind, each distinct one as one object. */
class SharedParts<Part extends object> {
  readonly #byText = new Map<string, Part>();
  readonly #known = new WeakSet<Part>();

  shared(part: Part): Part {
    if (this.#known.has(part)) return part;
    const text = JSON.stringify(part);
    const known = this.#byText.get(text);
    if (known !== undefined) return known;
    this.#byText.set(text, part);
    this.#known.add(part);
    return part;
  }
}

const named = (text: string, order: Order): string =>
  text.replace(NAMES, (_, name: string) => `"w${order.indexOf(Number(name) - 1) + 1}.`);
