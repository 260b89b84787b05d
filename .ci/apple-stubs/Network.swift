// Names of Network with nothing behind them, as in SwiftUI.swift.
// <https://developer.apple.com/documentation/network>

public enum NWConnection {}
public enum NWListener {}
public enum NWParameters {}
public enum NWEndpoint {}
public enum NWPath {}
public enum NWPathMonitor {}
public enum NWBrowser {}
public enum NWError {}
public enum NWProtocolTCP {}
public enum NWProtocolTLS {}
public enum NetworkListener {}
public enum NetworkConnection {}
public enum NetworkBrowser {}
public enum Coder {}
public enum TLS {}
public enum TCP {}
public enum UDP {}
public enum QUIC {}
public enum WebSocket {}
public enum TLV {}
