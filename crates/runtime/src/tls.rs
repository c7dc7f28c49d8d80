//! The HTTP client of the AWS SDK: rustls over `ring`.
//!
//! The SDK's default is rustls over `aws-lc`, which collects entropy from CPU jitter before its
//! first handshake. That is most of the first request of a cold function; `ring` asks the operating
//! system instead. See `docs/decisions.md`.

use aws_sdk_dynamodb::config::SharedHttpClient;
use aws_smithy_http_client::{
    Builder,
    tls::{Provider, TlsContext, TrustStore, rustls_provider::CryptoMode},
};

/// The root certificates of AWS, all five as Amazon recommends.
/// <https://www.amazontrust.com/repository/>
const AMAZON: &[u8] = include_bytes!("amazon.pem");

/// A client that trusts the root certificates of AWS only. Each cold function would have to parse
/// all those of the system, about 150.
pub(crate) fn trusting_amazon() -> SharedHttpClient {
    trusting_pem(AMAZON)
}

/// A client that trusts these certificates only. `pem` may contain several.
pub(crate) fn trusting_pem(pem: &[u8]) -> SharedHttpClient {
    client(TrustStore::empty().with_pem_certificate(pem))
}

/// A client that trusts the root certificates of the system.
pub(crate) fn trusting_system() -> SharedHttpClient {
    client(TrustStore::default())
}

fn client(trusted: TrustStore) -> SharedHttpClient {
    let context = TlsContext::builder().with_trust_store(trusted).build();
    let context = context.unwrap_or_else(|error| unreachable!("a trust store is enough: {error}"));
    Builder::new()
        .tls_provider(Provider::Rustls(CryptoMode::Ring))
        .tls_context(context)
        .build_https()
}
