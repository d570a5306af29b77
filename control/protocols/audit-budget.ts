import type { Decision } from "../verdict.ts";

export interface AuditBudget {
  /** Maximum audits of a run. Default: no limit. */
  readonly auditBudget?: number;
}

export interface MonitoringOptions extends AuditBudget {
  /** Suspicion score, from 0 to 1. A greater score is suspicious. */
  readonly threshold: number;
}

/** The durable state of a protocol with an audit budget. */
export interface Audits {
  readonly audits: number;
}

/** The state of a run without audits. */
export const NO_AUDITS = { audits: 0 };

/** Whether one more audit is within the budget. */
export const hasAudit = ({ audits }: Audits, budget = Number.POSITIVE_INFINITY): boolean => audits < budget;

/** The decision to audit, with one audit more in the state. */
export const audit = <State extends Audits>(state: State): Decision<{ readonly kind: "audit" }, State> => ({
  verdict: { kind: "audit" },
  state: { ...state, audits: state.audits + 1 },
});

/** The decision that changes nothing. */
export const pass = <State>(state: State): Decision<{ readonly kind: "pass" }, State> => ({
  verdict: { kind: "pass" },
  state,
});
