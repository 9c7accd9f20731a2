export * as sdk from '@restatedev/restate-sdk';
