/** The amounts that a task and its subtasks may spend together. An absent amount is unlimited. */
export interface Grant {
  /** Requests to the model. */
  readonly requests?: number;
  /** Subtasks, of any depth. */
  readonly tasks?: number;
  /** Levels of subtasks below the task. */
  readonly depth?: number;
  /** US dollars. Less than 0 after a request that cost more than was left. */
  readonly cost?: number;
}

type Amount = keyof Grant;

const AMOUNTS: readonly Amount[] = ["requests", "tasks", "depth", "cost"];
/** The amounts that are spent. A level of subtasks is not: the next subtask may use it again. */
const SPENT: readonly Amount[] = ["requests", "tasks", "cost"];

/** The grant with each limited amount of these replaced. */
function mapAmounts(
  grant: Grant,
  amounts: readonly Amount[],
  replace: (left: number, name: Amount) => number,
): Grant {
  const next: { -readonly [K in Amount]?: number } = { ...grant };
  for (const name of amounts) {
    const left = grant[name];
    if (left !== undefined) next[name] = replace(left, name);
  }
  return next;
}

/** The rest of a grant after this was spent. */
export const spend = (grant: Grant, spent: Grant): Grant =>
  mapAmounts(grant, SPENT, (left, name) => left - (spent[name] ?? 0));

/** The grant, and the rest of a grant that was taken from it. */
export const putBack = (grant: Grant, rest: Grant): Grant =>
  mapAmounts(grant, SPENT, (left, name) => left + (rest[name] ?? 0));

/** The larger one of each amount. */
export const largerOf = (one: Grant, other: Grant): Grant =>
  mapAmounts(one, AMOUNTS, (amount, name) => Math.max(amount, other[name] ?? amount));

/** The smaller one of each amount. An amount that only one of them limits is limited. */
export const smallerOf = (one: Grant, other: Grant): Grant => ({
  ...other,
  ...mapAmounts(one, AMOUNTS, (amount, name) => Math.min(amount, other[name] ?? amount)),
});

/** The grant of a subtask: a share of the rest of its parent's grant, after its own start was spent. `share`: 0..1 */
export const shareOf = (rest: Grant, share: number): Grant =>
  mapAmounts(rest, AMOUNTS, (left, name) => {
    if (name === "depth") return left - 1;
    return name === "cost" ? left * share : Math.floor(left * share);
  });
