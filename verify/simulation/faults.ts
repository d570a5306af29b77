/** Probability of each fault, from 0 to 1, at each opportunity. */
export interface SimulatedFaults {
  /** The endpoint rejects a request or the connection breaks. Some failures are retryable. */
  readonly requestFails: number;
  /** A stream ends early. */
  readonly streamCut: number;
  /** The context of a request cannot be read. */
  readonly contextFails: number;
  readonly toolFails: number;
  /** A tool never ends. */
  readonly toolHangs: number;
  /** The journal cannot be written. */
  readonly diskFails: number;
  /** The process crashes, and the task is reopened. */
  readonly crash: number;
  /** An event of a stopped actor arrives late. */
  readonly late: number;
  /** The user cancels. */
  readonly cancel: number;
  /** The user acts unasked: queues a message, switches the mode, answers another ask. */
  readonly interjects: number;
}

/** Low probabilities of every fault. */
export const DEFAULT_FAULTS: SimulatedFaults = {
  requestFails: 0.05,
  streamCut: 0.03,
  contextFails: 0.01,
  toolFails: 0.08,
  toolHangs: 0.02,
  diskFails: 0.002,
  crash: 0.005,
  late: 0.2,
  cancel: 0.005,
  interjects: 0.02,
};

/** No faults. */
export const NO_FAULTS: SimulatedFaults = {
  requestFails: 0,
  streamCut: 0,
  contextFails: 0,
  toolFails: 0,
  toolHangs: 0,
  diskFails: 0,
  crash: 0,
  late: 0,
  cancel: 0,
  interjects: 0,
};
