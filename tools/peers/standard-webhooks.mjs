export { Webhook } from 'standardwebhooks';
