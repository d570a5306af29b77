import type { Budget } from "../../../../machines/task/task.events.ts";
import { dollars } from "../../model/format.ts";

const FROM = {
  own: "Granted by the user. Requests, subtasks and dollars include the subtasks.",
  lent: "Granted by the parent, which gets the rest back.",
  returned: "The parent got the rest back.",
} as const;

/** The rest of the budget of a task. */
export function BudgetMeters({ budget }: { readonly budget: Budget }) {
  const left = budget.state === "returned" ? {} : budget.left;
  const meters = (["requests", "tasks", "cost"] as const).flatMap((name) => {
    const granted = budget.granted[name];
    return granted === undefined ? [] : [{ name, granted, rest: left[name] ?? 0 }];
  });
  const { depth } = budget.granted;
  return (
    <section className="sb-group sb-limits" title={FROM[budget.state]}>
      <h4>budget left{budget.state === "own" ? "" : ` (${budget.state})`}</h4>
      {meters.map(({ name, granted, rest }) => (
        <div key={name} className="sb-meter">
          <span>{NAMES[name]}</span>
          <meter min={0} max={granted} value={Math.max(0, rest)} aria-label={NAMES[name]} />
          <span className="sb-num">
            {name === "cost" ? `${dollars(rest)} / ${dollars(granted)}` : `${rest} / ${granted}`}
          </span>
        </div>
      ))}
      {depth !== undefined && <p>levels of subtasks: {depth}</p>}
    </section>
  );
}

const NAMES = { requests: "requests", tasks: "subtasks", cost: "dollars" } as const;
