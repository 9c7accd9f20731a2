export { fileDeliveries, memoryDeliveries } from './later.js';
