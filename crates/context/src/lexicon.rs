//! The words keyword extraction knows: technical terms with their Chinese names, and the words too general to be
//! keywords. Data only.

use std::sync::LazyLock;

/// What sort of word a term is. The guide wants the first four; a thing's bare name only fills up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tier {
    /// Technical terms, modules, components and patterns (技术术语、功能模块、架构组件、设计模式).
    Term,
    /// A thing of the business (用户, 订单).
    Thing,
}

/// A known term.
pub(crate) struct Entry {
    pub keyword: &'static str,
    pub tier: Tier,
    /// Other spellings, Chinese or English, in lower case; the keyword itself is one without being listed.
    pub spellings: &'static [&'static str],
    /// A neighbour that is worth searching too when the text names few terms.
    pub related: Option<&'static str>,
}

const fn term(keyword: &'static str, spellings: &'static [&'static str]) -> Entry {
    Entry { keyword, tier: Tier::Term, spellings, related: None }
}

const fn near(keyword: &'static str, related: &'static str, spellings: &'static [&'static str]) -> Entry {
    Entry { keyword, tier: Tier::Term, spellings, related: Some(related) }
}

const fn thing(keyword: &'static str, spellings: &'static [&'static str]) -> Entry {
    Entry { keyword, tier: Tier::Thing, spellings, related: None }
}

pub(crate) const ENTRIES: &[Entry] = &[
    // 技术术语
    term("Python", &[]),
    term("Flask", &[]),
    term("Django", &[]),
    term("FastAPI", &[]),
    term("Java", &[]),
    term("Spring", &["spring boot"]),
    term("JavaScript", &[]),
    term("TypeScript", &[]),
    term("Node", &["node.js", "nodejs"]),
    term("React", &[]),
    term("Vue", &[]),
    term("Rust", &[]),
    term("Go", &["golang", "go语言"]),
    term("C++", &[]),
    term("C#", &[]),
    term("JWT", &["json web token"]),
    term("OAuth", &["oauth2"]),
    term("Redis", &[]),
    term("MySQL", &[]),
    term("PostgreSQL", &["postgres"]),
    term("SQLite", &[]),
    term("MongoDB", &["mongo"]),
    term("Elasticsearch", &[]),
    term("Kafka", &[]),
    term("RabbitMQ", &[]),
    term("Docker", &[]),
    term("Kubernetes", &["k8s"]),
    term("GraphQL", &[]),
    term("gRPC", &[]),
    term("REST", &["restful"]),
    term("WebSocket", &[]),
    term("MCP", &[]),
    term("LLM", &["大模型", "大语言模型", "large language model"]),
    term("encryption", &["加密", "encrypt"]),
    term("embedding", &["向量化", "嵌入"]),
    // 功能模块
    term("authentication", &["认证", "鉴权", "身份验证", "auth"]),
    term("authorization", &["授权"]),
    near("login", "authentication", &["登录", "登陆", "sign in", "signin"]),
    near("logout", "authentication", &["登出", "注销", "退出登录"]),
    near("registration", "user", &["注册"]),
    term("password", &["密码", "口令"]),
    term("validation", &["验证", "校验"]),
    near("permission", "authorization", &["权限"]),
    term("role", &["角色"]),
    term("session", &["会话"]),
    term("token", &["令牌"]),
    near("payment", "transaction", &["支付", "付款"]),
    term("transaction", &["交易", "事务"]),
    near("refund", "payment", &["退款"]),
    term("invoice", &["发票"]),
    term("billing", &["计费", "账单"]),
    term("notification", &["通知", "推送"]),
    term("email", &["邮件", "邮箱"]),
    term("search", &["搜索", "检索"]),
    term("upload", &["上传"]),
    term("download", &["下载"]),
    term("import", &["导入"]),
    term("export", &["导出"]),
    term("report", &["报表"]),
    term("inventory", &["库存"]),
    term("shipping", &["物流", "配送", "发货"]),
    term("cart", &["购物车"]),
    term("coupon", &["优惠券"]),
    term("audit", &["审计"]),
    term("logging", &["日志"]),
    term("monitoring", &["监控"]),
    term("alert", &["告警", "报警"]),
    term("scheduler", &["调度", "定时任务"]),
    term("statistics", &["统计"]),
    term("comment", &["评论"]),
    term("chat", &["聊天", "对话"]),
    term("configuration", &["配置"]),
    term("migration", &["迁移"]),
    term("rate limit", &["限流", "rate limiting"]),
    term("retry", &["重试"]),
    term("workflow", &["工作流", "流程", "端到端"]),
    // General by its looks, but the guide keeps it when a text has little else to say.
    term("new_feature", &["新功能"]),
    // 架构组件
    term("API", &["接口", "apis"]),
    term("database", &["数据库", "databases", "db"]),
    term("cache", &["缓存", "caching"]),
    term("message queue", &["消息队列", "message queues"]),
    term("message", &["消息", "msg"]),
    term("queue", &["队列"]),
    term("gateway", &["网关"]),
    term("microservice", &["微服务", "microservices"]),
    term("middleware", &["中间件"]),
    term("load balancer", &["负载均衡", "load balancing"]),
    term("index", &["索引"]),
    term("storage", &["存储"]),
    term("frontend", &["前端"]),
    term("backend", &["后端"]),
    term("architecture", &["架构"]),
    term("data model", &["数据模型"]),
    term("performance", &["性能"]),
    term("security", &["安全"]),
    term("concurrency", &["并发"]),
    term("parser", &["解析"]),
    // 设计模式
    term("factory pattern", &["工厂模式"]),
    term("singleton", &["单例", "单例模式"]),
    term("repository", &["仓储模式", "repository pattern"]),
    term("observer pattern", &["观察者模式"]),
    term("strategy pattern", &["策略模式"]),
    term("adapter pattern", &["适配器模式", "适配器"]),
    term("dependency injection", &["依赖注入"]),
    term("event sourcing", &["事件溯源"]),
    term("CQRS", &[]),
    // Things
    thing("user", &["用户", "users"]),
    thing("order", &["订单", "orders"]),
    thing("product", &["商品", "products"]),
    thing("customer", &["客户", "顾客", "customers"]),
    thing("account", &["账户", "账号", "accounts"]),
    thing("profile", &["个人资料", "用户资料"]),
    thing("document", &["文档", "documents"]),
    thing("file", &["文件", "files"]),
    thing("device", &["设备", "devices"]),
    thing("regulation", &["规程", "法规", "regulations"]),
];

/// Words that say nothing about the subject: of the guide (实现, 开发), of how Stories are written, and of grammar.
pub(crate) static GENERAL_ZH: LazyLock<Vec<&str>> = LazyLock::new(|| general("zh"));

pub(crate) static GENERAL_EN: LazyLock<Vec<&str>> = LazyLock::new(|| general("en"));

/// The words of a language in the list of general words.
fn general(language: &str) -> Vec<&'static str> {
    let lines = include_str!("general_words.txt").lines().filter_map(|line| line.strip_prefix(language));
    lines.flat_map(str::split_whitespace).collect()
}
