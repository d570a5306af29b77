import {
  chosenPermissions,
  PERMISSION_MODES,
  type PermissionState,
} from "../../../../machines/tool-call/permissions.ts";
import type { PermissionChangeBody } from "../../../../wire/http/api.ts";
import { permissionChangeSchema } from "../../../../wire/permissions.ts";
import { shortened } from "../../text/printable.ts";

export interface PermissionsGroupProps {
  /** Undefined: they were never changed. */
  readonly permissions: PermissionState | undefined;
  /** Absent: they can't be changed here. */
  readonly onChange?: ((change: PermissionChangeBody) => void) | undefined;
}

const UNCHANGED: PermissionState = { revision: 0, mode: "ask", rules: [] };

/** The permissions that the user gives the task at run time: the permission mode, and the rules of the session. */
export function PermissionsGroup({ permissions, onChange }: PermissionsGroupProps) {
  const { held, mode: now } = permissions ?? UNCHANGED;
  const { mode, rules } = chosenPermissions(permissions ?? UNCHANGED);
  return (
    <>
      <section className="sb-group">
        <h4>permission mode</h4>
        {onChange === undefined ? (
          <span className="sb-pill">{mode}</span>
        ) : (
          <select
            aria-label="Permission mode"
            value={mode}
            onChange={({ target }) => onChange(permissionChangeSchema.parse({ mode: target.value }))}
          >
            {PERMISSION_MODES.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        )}
        {held !== undefined && (
          <p className="sb-empty" role="status">
            pending until the open ask is closed; now: {now}
          </p>
        )}
      </section>
      <section className="sb-group">
        <h4>session rules</h4>
        {rules.length === 0 ? (
          <span className="sb-empty">none</span>
        ) : (
          <ul className="sb-rules">
            {rules.map(({ level, rule }, position) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a rule may be there twice
              <li key={position}>
                <span>
                  {level} <code>{shortened(rule, 200)}</code>
                </span>
                {onChange !== undefined && (
                  <button
                    type="button"
                    className="sb-quiet"
                    aria-label={`Remove the rule ${level} ${shortened(rule, 200)}`}
                    onClick={() => onChange({ rules: rules.filter((_, index) => index !== position) })}
                  >
                    ✕
                  </button>
                )}
              </li>
            ))}
          </ul>
        )}
      </section>
    </>
  );
}
