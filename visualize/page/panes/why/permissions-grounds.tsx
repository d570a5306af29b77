import { useEffect, useState } from "react";
import { judgedText } from "../../../../present/replay-sentence.ts";
import type { ReplayGrounds } from "../../../../wire/http/permission-replay.ts";
import { errorText } from "../../model/format.ts";
import type { PageSource } from "../../source.ts";
import { shortened } from "../../text/printable.ts";
import { useSettled } from "../list/use-window.ts";

export interface PermissionsGroundsProps {
  readonly taskId: string;
  readonly callId: string;
  readonly at: number;
  readonly replay: NonNullable<PageSource["replayPermissions"]>;
}

/** The reason for the verdict on a call: the opinion of each judge, and the rules with their files. */
export function PermissionsGrounds(props: PermissionsGroundsProps) {
  const grounds = useGrounds(props);
  if (grounds === undefined) return null;
  if (typeof grounds === "string") return <p className="sb-dim">{shortened(grounds, 400)}</p>;
  const { recorded, now, judges, matches } = grounds;
  const isSame = recorded.verdict === now.verdict;
  return (
    <>
      <h3>The call was {shortened(judgedText(recorded), 400)}</h3>
      {!isSame && <p>By the permissions of today it would be {shortened(judgedText(now), 400)}.</p>}
      <table className="why-table">
        <thead className="sb-visually-hidden">
          <tr>
            <th scope="col">Judge</th>
            <th scope="col">Opinion</th>
          </tr>
        </thead>
        <tbody>
          {judges.map(({ judge, level, because }) => (
            <tr key={judge} data-verdict={level === null ? undefined : "taken"}>
              <th scope="row">{judge}</th>
              <td>{level === null ? "no opinion" : shortened(`${level}: ${because}`, 400)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <ul className="why-changes" aria-label="Rules that match">
        {matches.map(({ level, rule, origin, matches: how }) => (
          <li key={`${level} ${rule} ${origin}`}>
            {level} <code>{shortened(rule, 200)}</code> in {shortened(origin, 200)}
            {how === "yes" ? "" : how === "part" ? ": matches only a part" : ": may match"}
          </li>
        ))}
      </ul>
    </>
  );
}

/** The grounds of a call, or why there are none. Undefined until the source has answered. */
function useGrounds({
  taskId,
  callId,
  at,
  replay,
}: PermissionsGroundsProps): ReplayGrounds | string | undefined {
  const isSettled = useSettled(at);
  const [found, setFound] = useState<ReplayGrounds | string>();
  const isFound = typeof found === "object";
  useEffect(() => {
    if (!isSettled || isFound) return;
    let isCurrent = true;
    const set = (value: ReplayGrounds | string): void => {
      if (isCurrent) setFound(value);
    };
    replay({ taskId, callId }).then(
      ({ grounds, summary, skipped }) => {
        const reason = summary.unjudged[0]?.reason ?? skipped[0]?.reason ?? "it has no verdict yet";
        set(grounds ?? `The call can't be judged again: ${reason}.`);
      },
      (error: unknown) => set(errorText(error)),
    );
    return () => {
      isCurrent = false;
    };
  }, [taskId, callId, isSettled, isFound, replay]);
  return found;
}
