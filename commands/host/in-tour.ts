/** Environment variable set for processes that run as a step of the tour. Their sessions are temporary. */
export const IN_TOUR = 'HITL_TOUR';
