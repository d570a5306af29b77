/** How likely each fault is, from 0 to 1, each time that it could happen. */
export interface SimulatedFaults {
  /** The endpoint refuses a request, or its connection breaks: some of them may be tried again. */
  readonly requestFails: number;
  /** A stream ends in the middle. */
  readonly streamCut: number;
  /** The surroundings of a request can't be read. */
  readonly contextFails: number;
  readonly toolFails: number;
  /** A tool never ends by itself. */
  readonly toolHangs: number;
  /** The journal can't be written. */
  readonly diskFails: number;
  /** The process ends, and the task is opened again. */
  readonly crash: number;
  /** What a stopped actor had on its way comes all the same. */
  readonly late: number;
  /** The user cancels. */
  readonly cancel: number;
  /** The user does something that nobody asked for: queues words, switches the mode, answers another ask. */
  readonly interjects: number;
}

/** A world in which most things go well, and each kind of fault comes now and then. */
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

/** A world without faults. */
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
