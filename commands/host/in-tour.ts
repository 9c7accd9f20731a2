/** Marks a process as a step of the tour, whose sessions are temporary. */
export const IN_TOUR = 'HITL_TOUR';
