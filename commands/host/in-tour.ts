/** The variable that says to a process that it is a stop of the tour, whose sessions end with it. */
export const IN_TOUR = 'HITL_TOUR';
