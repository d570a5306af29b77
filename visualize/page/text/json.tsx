import { type ReactNode, useState } from "react";
import { More, Plain, Short } from "./plain.tsx";

/** The members of an object or a list that are shown at once. */
export const JSON_MAX_MEMBERS = 50;
/** The length of one string that is shown at once, in UTF-16 units. */
const TEXT_MAX_CHARS = 500;

export interface JsonProps {
  readonly value: unknown;
  readonly name?: string;
  /** The number of unfolded levels. Default 1. */
  readonly openLevels?: number;
  /** Only the members, without braces. */
  readonly isBare?: boolean;
}

/** A foldable JSON value. Folded parts are not rendered, so that any depth and length can be shown. */
export function Json({ value, name, openLevels = 1, isBare = false }: JsonProps): ReactNode {
  return (
    <div className="text-json">
      {isBare && isBranch(value) ? (
        <Members value={value} open={openLevels} />
      ) : (
        <Node value={value} name={name} open={openLevels} />
      )}
    </div>
  );
}

const isBranch = (value: unknown): value is object => typeof value === "object" && value !== null;

interface NodeProps {
  readonly value: unknown;
  readonly name: string | undefined;
  readonly open: number;
}

function Node({ value, name, open }: NodeProps): ReactNode {
  return isBranch(value) && Object.keys(value).length > 0 ? (
    <Branch value={value} name={name} open={open} />
  ) : (
    <div className="text-json-leaf">
      <Name name={name} />
      <Leaf value={value} />
    </div>
  );
}

function Branch({ value, name, open }: NodeProps & { readonly value: object }): ReactNode {
  const [isOpen, setOpen] = useState(open > 0);
  const count = Object.keys(value).length;
  const size = Array.isArray(value) ? `[${count}]` : `{${count}}`;
  return (
    <details
      open={isOpen}
      onToggle={(event) => {
        // In React the event bubbles: ignore the events of inner branches.
        if (event.target === event.currentTarget) setOpen(event.currentTarget.open);
      }}
    >
      <summary>
        <Name name={name} />
        <span className="text-json-size">{size}</span>
      </summary>
      {isOpen && (
        <div className="text-json-members">
          <Members value={value} open={open} />
        </div>
      )}
    </details>
  );
}

function Members({ value, open }: { readonly value: object; readonly open: number }): ReactNode {
  const [shown, setShown] = useState(JSON_MAX_MEMBERS);
  const members = Object.entries(value);
  const left = members.length - shown;
  return (
    <>
      {members.slice(0, shown).map(([key, member]) => (
        <Node key={key} value={member} name={key} open={open - 1} />
      ))}
      {left > 0 && <More left={left} of="members" onMore={() => setShown(shown * 4)} />}
    </>
  );
}

function Name({ name }: { readonly name: string | undefined }): ReactNode {
  if (name === undefined) return null;
  return (
    <span className="text-json-name">
      <Short text={name} />:{" "}
    </span>
  );
}

function Leaf({ value }: { readonly value: unknown }): ReactNode {
  if (isBranch(value)) return <span className="text-json-size">{Array.isArray(value) ? "[]" : "{}"}</span>;
  const shown = typeof value === "string" ? <Plain text={value} maxChars={TEXT_MAX_CHARS} /> : String(value);
  return <span className={`text-json-${value === null ? "null" : typeof value}`}>{shown}</span>;
}
